"""Makes the pictures of the guide from those that the browser tests leave: `make pictures`.

The browser is the tool for it, too: it scales them and writes WebP. Run the tests of the explorer first.
"""

import base64
import shutil
import sys

from tests.contract.sdk.environments import ROOT
from tests.e2e.browser.conftest import BROWSERS, SHOTS

FOLDER = ROOT / "docs" / "howto" / "explorer"
SHOWN = ("facts", "entity", "fact", "thread", "search", "context", "conflicts", "map")
BYTES_MAX = 400_000
_DRAW = """async ([data, width, height]) => {
  const image = new Image();
  image.src = `data:image/png;base64,${data}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  const scale = width / image.width;
  canvas.width = width;
  canvas.height = Math.min(height, Math.round(image.height * scale));
  const pen = canvas.getContext("2d");
  pen.imageSmoothingQuality = "high";
  pen.drawImage(image, 0, 0, width, image.height * scale);
  return canvas.toDataURL("image/webp", 0.7).split(",")[1];
}"""


def main() -> None:
    """One picture for each page that the guide shows, as a wide screen shows it in the light."""
    from playwright.sync_api import sync_playwright

    FOLDER.mkdir(parents=True, exist_ok=True)
    program = next(filter(None, map(shutil.which, BROWSERS)))
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        page = browser.new_page()
        for name in SHOWN:
            data = base64.b64encode((SHOTS / f"{name}-1280-light.png").read_bytes()).decode()
            made = base64.b64decode(page.evaluate(_DRAW, [data, 960, 640]))
            (FOLDER / f"{name}.webp").write_bytes(made)
        browser.close()
    weight = sum(each.stat().st_size for each in FOLDER.glob("*.webp"))
    print(f"{len(SHOWN)} pictures, {weight / 1000:.0f} kB")
    if weight > BYTES_MAX:
        sys.exit(f"more than {BYTES_MAX / 1000:.0f} kB")


if __name__ == "__main__":
    main()
