"""Collects what goes wrong while a browser shows pages."""

from dataclasses import dataclass, field

from playwright.async_api import BrowserContext, ConsoleMessage, Request, Response, WebError

# The page was left before the answer came, or the answer became a download.
_ABORTED = "net::ERR_ABORTED"
# The console's line about an answer above 399. The answer itself says more.
_FAILED_LOAD = "Failed to load resource"
_CLIENT_ERROR, _SERVER_ERROR = 400, 500


@dataclass
class PageWatch:
    """Collects the flaws of pages; the fixture `new_page` requires that there are none after a test.

    A flaw is an error or a warning in the console (also of the content security policy), an exception of a
    script, a request that failed, or a status from 400. Whole pages may have a status below 500: tests of
    forms and of unknown pages ask for that. A test that causes a flaw on purpose removes it.
    """

    flaws: list[str] = field(default_factory=list)

    def watch(self, context: BrowserContext) -> None:
        """Collects the flaws of all pages of a context from now on."""
        context.on("console", self._on_console)
        context.on("weberror", self._on_exception)
        context.on("requestfailed", self._on_failed_request)
        context.on("response", self._on_response)

    def _on_console(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning") and not message.text.startswith(_FAILED_LOAD):
            page = message.page.url if message.page else "?"
            self.flaws.append(f"console of {page}: {message.text}")

    def _on_exception(self, error: WebError) -> None:
        page = error.page.url if error.page else "?"
        self.flaws.append(f"exception in {page}: {error.error}")

    def _on_failed_request(self, request: Request) -> None:
        if request.failure != _ABORTED:
            self.flaws.append(f"{request.method} {request.url}: {request.failure}")

    def _on_response(self, response: Response) -> None:
        is_page = response.request.is_navigation_request()
        if response.status >= (_SERVER_ERROR if is_page else _CLIENT_ERROR):
            self.flaws.append(f"{response.request.method} {response.url}: {response.status}")
