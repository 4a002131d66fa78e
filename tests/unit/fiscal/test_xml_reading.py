"""XML from others: well-formed, hostile, enormous, in other encodings and cut."""

import pytest

from carimbo.fiscal.xml_reading import MAX_BYTES, MAX_DEPTH, UnreadableXml, read_xml, root_alone

BOM = b"\xef\xbb\xbf"
DECLARATION = b'<?xml version="1.0" encoding="UTF-8"?>'
PAO = "<a>pão</a>".encode()

LAUGHS = b"".join(b'<!ENTITY l%d "%s">' % (n, b"&l%d;" % (n - 1) * 10) for n in range(1, 10))
BILLION_LAUGHS = b'<!DOCTYPE a [<!ENTITY l0 "ha">' + LAUGHS + b"]><a>&l9;</a>"
IN_ATTRIBUTE = b'<!DOCTYPE a [<!ENTITY l0 "ha">' + LAUGHS + b']><a b="&l9;"/>'
QUADRATIC = b'<!DOCTYPE a [<!ENTITY x "' + b"x" * 50_000 + b'">]><a>' + b"&x;" * 50_000 + b"</a>"


def nested(levels: int) -> bytes:
    return b"<a>" * levels + b"</a>" * levels


def refusal(data: bytes, limit: int = MAX_BYTES) -> str:
    with pytest.raises(UnreadableXml) as raised:
        read_xml(data, limit)
    return str(raised.value)


class TestReadXml:
    @pytest.mark.parametrize(
        "prolog",
        [
            b"",
            BOM,
            DECLARATION,
            BOM + DECLARATION,
            b"<?xml version='1.0' encoding='utf-8' standalone='yes'?>\n",
            b'<?xml version="1.0"?>',
        ],
    )
    def test_utf_8_is_read_with_and_without_declaration_and_mark(self, prolog: bytes) -> None:
        assert read_xml(prolog + PAO).text == "pão"

    def test_text_that_looks_like_a_declaration_is_only_text(self) -> None:
        assert read_xml(b"<a>encoding='latin-1'</a>").text == "encoding='latin-1'"

    def test_character_references_and_cdata_are_read(self) -> None:
        assert read_xml(b"<a>&amp;&#227;<![CDATA[<&>]]></a>").text == "&ã<&>"

    def test_comments_and_instructions_stay_in_the_tree(self) -> None:
        assert len(read_xml(b"<a><!-- c --><?p i?></a>")) == 2

    def test_limit_is_the_last_size_that_is_read(self) -> None:
        assert read_xml(PAO, limit=len(PAO)).tag == "a"
        assert "mais de 10 bytes" in refusal(PAO, limit=10)

    def test_fifty_megabytes_are_refused(self) -> None:
        assert "bytes" in refusal(b"<a>" + b"x" * 50_000_000 + b"</a>")

    def test_text_or_attribute_beyond_the_parsers_own_limit_is_refused(self) -> None:
        bomb = b"x" * 11_000_000
        assert "mal formado" in refusal(b"<a>" + bomb + b"</a>", limit=2 * MAX_BYTES)
        assert "mal formado" in refusal(b'<a b="' + bomb + b'"/>', limit=2 * MAX_BYTES)

    def test_nesting_is_read_up_to_the_limit(self) -> None:
        assert read_xml(nested(MAX_DEPTH)).tag == "a"
        assert "níveis" in refusal(nested(MAX_DEPTH + 1))

    def test_hundred_thousand_levels_are_refused(self) -> None:
        assert "mal formado" in refusal(nested(100_000))


class TestRefuseDeclarations:
    @pytest.mark.parametrize("data", [BILLION_LAUGHS, IN_ATTRIBUTE, QUADRATIC])
    def test_entities_that_grow_are_refused(self, data: bytes) -> None:
        assert "DOCTYPE" in refusal(data)

    @pytest.mark.parametrize(
        "doctype",
        [
            b'<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]>',
            b'<!DOCTYPE a [<!ENTITY % x SYSTEM "http://127.0.0.1:9/x.dtd"> %x;]>',
            b'<!DOCTYPE a SYSTEM "http://127.0.0.1:9/a.dtd">',
            b'<!DOCTYPE a PUBLIC "-//A//B" "a.dtd">',
            b'<!DOCTYPE a [<!ATTLIST a b CDATA "c">]>',
            b"<!DOCTYPE a>",
            b"<!-- first -->\n<!DOCTYPE a>",
        ],
    )
    def test_every_document_type_is_refused(self, doctype: bytes) -> None:
        assert "DOCTYPE" in refusal(DECLARATION + doctype + b"<a/>")
        assert "DOCTYPE" in refusal(BOM + doctype + b"<a>&x;</a>")

    def test_undeclared_entity_is_refused(self) -> None:
        assert "mal formado" in refusal(b"<a>&nbsp;</a>")

    @pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "cp500", "utf-7"])
    def test_no_encoding_hides_a_document_type(self, encoding: str) -> None:
        text = f'<?xml version="1.0" encoding="{encoding}"?><!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>'
        refusal(text.encode(encoding))


class TestRefuseOtherEncodings:
    @pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
    def test_two_and_four_byte_encodings_are_refused(self, encoding: str) -> None:
        assert "UTF-8" in refusal("<a>pão</a>".encode(encoding))

    @pytest.mark.parametrize("name", ["ISO-8859-1", "latin-1", "UTF-16", "UTF-7", "windows-1252", "x", ""])
    def test_declaration_of_another_encoding_is_refused(self, name: str) -> None:
        assert "UTF-8" in refusal(f"<?xml version='1.0' encoding = '{name}'?><a/>".encode())

    def test_latin_1_bytes_without_a_declaration_are_refused(self) -> None:
        assert "mal formado" in refusal("<a>pão</a>".encode("latin-1"))

    @pytest.mark.parametrize("data", [b"<a>\0</a>", b"<a/>\0", b"\0"])
    def test_nul_bytes_are_refused(self, data: bytes) -> None:
        assert "UTF-8" in refusal(data)


class TestRefuseMalformed:
    @pytest.mark.parametrize("data", [b"", BOM])
    def test_empty_input_is_reported_as_empty(self, data: bytes) -> None:
        assert "vazio" in refusal(data)

    @pytest.mark.parametrize(
        "data",
        [
            b" ",
            b"{}",
            b"<html><br></html>",
            b"<a></b>",
            b"<a/><b/>",
            b"<a>\x01</a>",
            b"<a>&#0;</a>",
            b"<p:a/>",
            b'<a b="1" b="2"/>',
            b" " + DECLARATION + b"<a/>",
            BOM + BOM + b"<a/>",
        ],
    )
    def test_malformed_xml_is_refused(self, data: bytes) -> None:
        assert "mal formado" in refusal(data)

    def test_document_cut_anywhere_is_refused(self) -> None:
        whole = DECLARATION + b'<a b="c"><d>e&amp;f</d></a>'
        for length in range(1, len(whole)):
            assert "mal formado" in refusal(whole[:length])

    def test_message_gives_the_position_and_quotes_nothing(self) -> None:
        message = refusal(b"<a>\n<segredo></a>")
        assert message == "O XML está mal formado ou cortado (linha 2, coluna 14)."


class TestRootAlone:
    @pytest.mark.parametrize(
        ("before", "after"),
        [
            (DECLARATION, b""),
            (BOM + DECLARATION + b"\r\n", b"\n\n"),
            (BOM, b" "),
            (b" \n\t", b""),
            (b"<?xml version='1.0'?>", b"\r\n"),
        ],
    )
    def test_root_has_nothing_around_it(self, before: bytes, after: bytes) -> None:
        assert root_alone(before + PAO + after) == PAO

    def test_root_without_anything_around_is_the_same_object(self) -> None:
        assert root_alone(PAO) is PAO

    def test_root_keeps_the_white_space_inside(self) -> None:
        assert root_alone(b"<a> b \n</a>\n") == b"<a> b \n</a>"

    def test_declaration_without_an_end_raises_an_error(self) -> None:
        with pytest.raises(ValueError, match="not found"):
            root_alone(b"<?xml version='1.0'><a/>")
