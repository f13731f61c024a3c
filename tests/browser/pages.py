"""A page in a browser that counts its requests and complaints."""

from addhash.sample import load_messages

TEXTS, LABELS = load_messages()
PHONE = {"width": 390, "height": 800}
SMALL = {"width": 320, "height": 640}
DESK = {"width": 1200, "height": 800}
PARTS = ["ask", "teach", "mistakes", "examples", "model", "map"]
MAIL = "/v1/models/mail"
# The one limit of all waits: only a page that hangs takes as long, on however busy a machine.
WAIT_MS = 180_000


def new_page(browser, **settings):
    """Open a page in a context of its own, with the limit that all waits share."""
    page = browser.new_page(**settings)
    page.set_default_timeout(WAIT_MS)
    return page


class Gate:
    """Requests that wait until they are let through."""

    def __init__(self, page, pattern):
        self._page, self._held, self._is_open = page, [], False
        page.route(pattern, self._arrive)

    def _arrive(self, route):
        if self._is_open:
            route.continue_()
        else:
            self._held.append(route)

    def open(self):
        """Let through what waits, at least one request, and all that follows."""
        while not self._held:
            self._page.wait_for_timeout(20)
        self._is_open = True
        for route in self._held:
            route.continue_()


class Page:
    """A page, all requests it made, and all that it complained about."""

    def __init__(self, browser, server, viewport=DESK, scheme="light"):
        self.page = new_page(browser, viewport=viewport, color_scheme=scheme)
        self.address = f"http://127.0.0.1:{server.port}/"
        self.requests, self.complaints = [], []
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on(
            "response",
            lambda answer: answer.ok or answer.status == 304 or self.complaints.append(answer.url),
        )
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))

    def open(self, part, model=None):
        self.page.goto("about:blank")
        self.page.goto(self.address + ("" if model is None else f"#{model}/{part}"))
        self.ready(part)
        return self.page

    def go(self, address):
        """Go to another part of the page, as a link does."""
        self.page.evaluate("to => { location.hash = to; }", address)
        part = {"": "home", "/new": "new"}.get(address, address.partition("/")[2].partition("?")[0])
        self.ready(part)
        return self.page

    def ready(self, part):
        self.page.wait_for_selector(f".part[data-part={part}][data-ready]")

    def check(self):
        """Nothing left the host, and nobody complained: no error, no violation of the policy."""
        assert self.requests
        assert all(url.startswith((self.address, "blob:", "about:")) for url in self.requests)
        assert self.complaints == []
