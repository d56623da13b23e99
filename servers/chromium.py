"""A headless Chromium that tests control over the DevTools protocol through a pipe, without a port or a package.

Source: https://chromedevtools.github.io/devtools-protocol/
"""

from __future__ import annotations

import base64
import json
import os
import selectors
import shutil
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from tribal_demo.server.permission import check_permission

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
# Chromium reads commands from descriptor 3 and answers on 4.
_LAUNCH = 'exec "$0" "$@" 3<&0 4>&1 </dev/null >/dev/null'
_FLAGS = (
    "--headless",
    "--remote-debugging-pipe",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-dev-shm-usage",
    "--disable-gpu",
    # Any background request of the browser itself fails to resolve its host; servers of this machine are reached.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    "--no-proxy-server",
    # The sandbox needs privileges that containers lack, and only our own pages are opened.
    "--no-sandbox",
)
_ANSWER_SECONDS = 60.0
_QUIT_SECONDS = 10.0
_KEYS = {
    "Enter": (13, "\r"),
    "Escape": (27, ""),
    "ArrowDown": (40, ""),
    "/": (191, "/"),
    "+": (187, "+"),
    "0": (48, "0"),
    "k": (75, "k"),
}
_CTRL = 2
"""Source: https://chromedevtools.github.io/devtools-protocol/tot/Input/#method-dispatchKeyEvent"""


def installed_chromium() -> str | None:
    """The path of an installed Chromium, if there is one."""
    return next((path for path in map(shutil.which, PROGRAMS) if path is not None), None)


class Chromium:
    """A browser with its own profile in `folder`; it ends with the `with` block, or at the latest with the process."""

    def __init__(self, program: str, folder: Path) -> None:
        check_permission("Chromium")
        self._log = folder / "chromium.log"
        command = ["sh", "-c", _LAUNCH, program, *_FLAGS, f"--user-data-dir={folder / 'profile'}"]
        with self._log.open("wb") as log:
            # A new session, so that all its processes can be killed together.
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, bufsize=0, start_new_session=True
            )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._commands, self._answers = self._process.stdin, self._process.stdout
        self._unread = b""
        self._calls = 0
        self._tabs: dict[str, Tab] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        # Chromium quits by itself at the end of its input.
        self._commands.close()
        try:
            self._process.wait(_QUIT_SECONDS)
        except subprocess.TimeoutExpired:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait(_QUIT_SECONDS)
        self._answers.close()

    def open(self, address: str, *, scheme: str = "light") -> Tab:
        """Load an address in a new tab with the colour scheme `light` or `dark`."""
        target = self.call("Target.createTarget", {"url": "about:blank"})["targetId"]
        session = self.call("Target.attachToTarget", {"targetId": target, "flatten": True})["sessionId"]
        tab = self._tabs[session] = Tab(self, session)
        tab.load(address, scheme)
        return tab

    def call(self, method: str, parameters: dict[str, Any], session: str | None = None) -> dict[str, Any]:
        """Send a command and return its result; events that arrive first are passed to their tabs."""
        self._calls += 1
        message = {"id": self._calls, "method": method, "params": parameters}
        where = {} if session is None else {"sessionId": session}
        self._commands.write(json.dumps({**message, **where}).encode() + b"\0")
        while (answer := self.receive()).get("id") != self._calls:
            pass
        assert "error" not in answer, f"{method}: {answer['error']}"
        result: dict[str, Any] = answer["result"]
        return result

    def receive(self) -> dict[str, Any]:
        """Wait for the next message."""
        deadline = time.monotonic() + _ANSWER_SECONDS
        with selectors.DefaultSelector() as selector:
            selector.register(self._answers, selectors.EVENT_READ)
            while b"\0" not in self._unread:
                ready = selector.select(deadline - time.monotonic())
                read = os.read(self._answers.fileno(), 1 << 16) if ready else b""
                assert read, f"Chromium says nothing more: {self._log.read_text(errors='replace')[-2000:]}"
                self._unread += read
        text, _, self._unread = self._unread.partition(b"\0")
        message: dict[str, Any] = json.loads(text)
        tab = self._tabs.get(message.get("sessionId", ""))
        if tab is not None and "method" in message:
            tab.take(message["method"], message["params"])
        return message


class Tab:
    """A page in a tab: its requests, its problems, and the actions of a reader."""

    def __init__(self, browser: Chromium, session: str) -> None:
        self.requests: list[str] = []
        """Addresses of everything that the page requested, starting with itself."""
        self.problems: list[str] = []
        """Console messages, uncaught errors, violations of the security policy, and dialogs."""
        self._browser = browser
        self._session = session
        self._loaded = False

    def load(self, address: str, scheme: str) -> None:
        """Load an address and wait for the load to complete."""
        for domain in ("Runtime", "Log", "Network", "Page"):
            self._call(f"{domain}.enable")
        preferred = [{"name": "prefers-color-scheme", "value": scheme}]
        self._call("Emulation.setEmulatedMedia", features=preferred)
        self._and_wait("Page.navigate", url=address)

    def reload(self) -> None:
        """Load the page again."""
        self._and_wait("Page.reload")

    def _and_wait(self, method: str, **parameters: Any) -> None:
        """Call a method that loads a page, and wait for the load to complete."""
        self._loaded = False
        self._call(method, **parameters)
        while not self._loaded:
            self._browser.receive()

    def take(self, event: str, about: dict[str, Any]) -> None:
        """Record an event of the page."""
        match event:
            case "Network.requestWillBeSent":
                self.requests.append(about["request"]["url"])
            case "Runtime.consoleAPICalled":
                self.problems.append(f"console: {about['args']}")
            case "Runtime.exceptionThrown":
                self.problems.append(f"uncaught: {about['exceptionDetails']}")
            case "Log.entryAdded":
                self.problems.append(f"log: {about['entry']['text']}")
            case "Page.javascriptDialogOpening":
                self.problems.append(f"dialog: {about['message']}")
            case "Page.loadEventFired":
                self._loaded = True

    def value(self, expression: str) -> Any:
        """The value of a JavaScript expression in the page; promises are awaited."""
        answer = self._call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, f"{expression}: {answer['exceptionDetails']}"
        return answer["result"].get("value")

    def until(self, expression: str) -> None:
        """Wait until a JavaScript expression is true of the page, frame by frame."""
        polled = (
            "new Promise((there, gone) => { const end = Date.now() + 20000; const look = () => "
            f"({expression}) ? there(true) : Date.now() > end ? gone(new Error('not in time')) : setTimeout(look, 5);"
            " look(); })"
        )
        assert self.value(polled) is True

    def click(self, selector: str) -> None:
        """Click the middle of the first element that matches a CSS selector, with the mouse."""
        found = f"document.querySelector({json.dumps(selector)})"
        self.value(f"{found}.scrollIntoView({{block: 'center'}})")
        x, y = self.value(
            f"(({{x, y, width, height}}) => [x + width / 2, y + height / 2])({found}.getBoundingClientRect())"
        )
        self.mouse("mousePressed", x, y)
        self.mouse("mouseReleased", x, y)

    def mouse(self, kind: str, x: float, y: float) -> None:
        """Press, move or release the left button at a place."""
        self._call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", buttons=1, clickCount=1)

    def resize(self, width: int, height: int) -> None:
        """Give the page a window of this size."""
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self._call("Emulation.setDeviceMetricsOverride", **size)

    def screenshot(self) -> bytes:
        """What is seen of the page, as PNG."""
        return base64.b64decode(self._call("Page.captureScreenshot", format="png")["data"])

    def text(self, selector: str) -> str:
        """The visible text of the first element that matches a CSS selector."""
        seen = self.value(f"document.querySelector({json.dumps(selector)}).innerText")
        assert isinstance(seen, str), selector
        return seen

    def type(self, text: str) -> None:
        """Type into the focused element."""
        self._call("Input.insertText", text=text)

    def press(self, key: str) -> None:
        """Press and release a key, such as `Enter` or `Ctrl+k`."""
        held, _, name = key.rpartition("+") if len(key) > 1 else ("", "", key)
        code, text = _KEYS[name]
        pressed = {"key": name, "windowsVirtualKeyCode": code, "modifiers": _CTRL if held == "Ctrl" else 0}
        self._call("Input.dispatchKeyEvent", type="keyDown", text="" if held else text, **pressed)
        self._call("Input.dispatchKeyEvent", type="keyUp", **pressed)

    def follow(self, key: str) -> None:
        """Press a key that navigates within the page, and wait until the page shows the new address."""
        self.value("void (window.arrived = new Promise(there => addEventListener('hashchange', there, {once: true})))")
        self.press(key)
        self.value("arrived.then(() => true)")

    def _call(self, method: str, **parameters: Any) -> dict[str, Any]:
        return self._browser.call(method, parameters, self._session)
