"""The command that shows which official XSDs are in force."""

from importlib.metadata import version

from carimbo.cli.console import fail, loaded_settings, say
from carimbo.fiscal.schemas import PACKAGE, Schema, Schemas, SchemaUnusable


def show_schemas() -> None:
    """Mostra o schema oficial em vigor para cada mensagem e confere se todos compilam. Não usa o banco."""
    folder = loaded_settings(needs_database=False).schemas_folder
    width = max(len(schema.file_name) for schema in Schema)
    try:
        schemas = Schemas(folder)
        for schema in Schema:
            schemas.compiled(schema)
            say(f"{schema.file_name:<{width}}  {_origin(schemas, schema)}")
    except SchemaUnusable as error:
        fail(str(error))


def _origin(schemas: Schemas, schema: Schema) -> str:
    file = schemas.file_of(schema)
    return str(file.path) if file.is_operators else f"{PACKAGE} {version(PACKAGE)}"
