"""Contract: in a real browser the page loads without an error, a drag and a click pour liquid so that the volume on
screen rises, wiping makes it fall, sliders and keys work, a pause stops the time, and the picture
shows lit ground and liquid.

    python play.py COMMAND... [--screenshot FILE] [--settle SECONDS]

COMMAND starts the server and prints its address, as `whitecap play` does. Needs the package
`playwright` and a Chromium, whose path WHITECAP_CHROMIUM may give.
"""

import argparse
import base64
import os
import re
import shutil
import subprocess
import sys
import time

from playwright.sync_api import sync_playwright

# Software rendering, so that no graphics card is needed.
FLAGS = [
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--ignore-gpu-blocklist",
]
PATIENCE = 60
# Seconds of the liquid without a change after which its volume counts as settled.
STEADY = 1.5


def chromium():
    """The path of a Chromium."""
    names = ["chromium", "chromium-browser", "google-chrome"]
    found = os.environ.get("WHITECAP_CHROMIUM") or next(filter(None, map(shutil.which, names)), None)
    if found is None:
        sys.exit("no Chromium was found; install one or set WHITECAP_CHROMIUM")
    return found


def until(what, condition):
    """Waits until a condition holds."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError(f"this did not happen: {what}")
        time.sleep(0.05)


class Page:
    """The page, as a person sees it."""

    def __init__(self, page):
        self.page = page
        self.box = page.locator("#view").bounding_box()

    def value(self, name):
        text = self.page.locator(f"#{name}").get_attribute("data-value")
        return float(text) if text else 0.0

    def at(self, right, down):
        return self.box["x"] + right * self.box["width"], self.box["y"] + down * self.box["height"]

    def drag(self, start, end, button="left", steps=12):
        mouse = self.page.mouse
        mouse.move(*self.at(*start))
        mouse.down(button=button)
        for step in range(1, steps + 1):
            share = step / steps
            place = [a + share * (b - a) for a, b in zip(start, end)]
            mouse.move(*self.at(*place))
            self.page.wait_for_timeout(60)
        mouse.up(button=button)

    def settled_volume(self):
        """The volume once it has been constant for a while of the liquid's own time."""
        volume, since = self.value("volume"), self.value("time")
        deadline = time.monotonic() + PATIENCE
        while self.value("time") < since + STEADY:
            if abs(self.value("volume") - volume) > 1e-6 * volume:
                volume, since = self.value("volume"), self.value("time")
            assert time.monotonic() < deadline, "the volume keeps changing"
            time.sleep(0.05)
        return volume

    def picture(self):
        """Mean and spread of what the view shows, for each channel."""
        encoded = base64.b64encode(self.page.locator("#view").screenshot()).decode()
        return self.page.evaluate("""async (encoded) => {
            const image = new Image();
            image.src = `data:image/png;base64,${encoded}`;
            await image.decode();
            const small = document.createElement("canvas");
            [small.width, small.height] = [64, 48];
            const context = small.getContext("2d");
            context.drawImage(image, 0, 0, 64, 48);
            const data = context.getImageData(0, 0, 64, 48).data;
            return [0, 1, 2].map((channel) => {
                const values = data.filter((_, place) => place % 4 === channel);
                const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
                const square = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
                return [mean, Math.sqrt(square / values.length)];
            });
        }""", encoded)


def play(page, address, settle, screenshot):
    complaints = []
    page.on("console", lambda message: message.type in ("error", "warning")
            and complaints.append(f"{message.type}: {message.text}"))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("requestfailed", lambda request: complaints.append(f"failed: {request.url}"))
    page.goto(address)
    view = Page(page)
    until("liquid is shown", lambda: view.value("time") > 0.2)
    assert not complaints, complaints

    # Without the source, only the hand changes the volume.
    page.locator("#source-rate").evaluate("slider => { slider.value = 0; slider.dispatchEvent(new Event('input')); }")
    until("the source stops", lambda: "0.00 ml/s" in page.locator("#source-rate-value").inner_text())
    before = view.settled_volume()
    view.drag((0.35, 0.55), (0.5, 0.6))
    until("a drag pours", lambda: view.value("volume") > before + 1e-7)
    poured = view.settled_volume()
    print(f"a drag poured {1e6 * (poured - before):.2f} ml")

    page.locator("[data-tool=wipe]").click()
    view.drag((0.35, 0.55), (0.5, 0.6))
    until("a drag wipes", lambda: view.value("volume") < poured)
    wiped = view.settled_volume()
    print(f"a drag wiped {1e6 * (poured - wiped):.2f} ml")

    page.locator("[data-tool=pour]").click()
    view.drag((0.42, 0.57), (0.42, 0.57), steps=0)
    until("a click pours", lambda: view.value("volume") > wiped + 1e-8)

    page.locator("#pause").click()
    until("it pauses", lambda: page.locator("#pause").get_attribute("aria-pressed") == "true")
    held = view.value("time")
    page.wait_for_timeout(500)
    assert view.value("time") == held, "time goes on in a pause"
    page.keyboard.press("n")
    until("one step is made", lambda: view.value("time") > held)
    assert abs(view.value("time") - held - 1 / 60) < 1e-6, "a step is not one frame"
    page.keyboard.press("k")
    until("it goes on", lambda: view.value("time") > held + 0.1)

    page.keyboard.press("c")
    view.drag((0.55, 0.4), (0.56, 0.42))
    page.locator("#view").focus()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("p")
    rate = page.locator("#source-rate")
    rate.evaluate("slider => { slider.value = 500; slider.dispatchEvent(new Event('input')); }")
    page.keyboard.press("Backspace")
    until("it begins anew", lambda: view.value("time") < held)

    until("the picture has liquid in it", lambda: view.value("time") > settle)
    page.locator("#view").blur()
    mean_and_spread = view.picture()
    print("picture: " + ", ".join(f"{mean:.0f} ± {spread:.0f}" for mean, spread in mean_and_spread))
    assert all(spread > 15 for _, spread in mean_and_spread), "the picture is flat"
    print("frame time: " + page.locator("#frame-time").inner_text()
          + " (" + page.locator("#frame-parts").inner_text() + ")")
    if screenshot:
        page.screenshot(path=screenshot)
    assert not complaints, complaints


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("command", nargs="+", help="starts the server and prints its address")
    parser.add_argument("--screenshot", help="where to keep the picture")
    parser.add_argument("--settle", type=float, default=6, help="seconds of liquid before the picture")
    arguments = parser.parse_args()
    server = subprocess.Popen(arguments.command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        lines = (re.search(r"http://127\.0\.0\.1:\d+/#\w+", line) for line in server.stdout)
        address = next(filter(None, lines)).group()
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=chromium(), args=FLAGS, chromium_sandbox=False)
            page = browser.new_page(viewport={"width": 1280, "height": 760})
            play(page, address, arguments.settle, arguments.screenshot)
            browser.close()
        print("the page works")
    finally:
        server.terminate()
        server.wait(10)


if __name__ == "__main__":
    main()
