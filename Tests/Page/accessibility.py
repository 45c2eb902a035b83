# Part of bgtask, under the Apache License 2.0; see LICENSE.
"""The rules of axe-core, which checks a page for users of assistive programs. `make page-axe` gets it from PyPI."""
import os
import zipfile
from pathlib import Path

PLACES = Path(os.environ.get("BGTASK_AXE", Path(__file__).resolve().parents[2] / ".build/axe"))
GRAVE = ["serious", "critical"]


def script():
    """The text of axe-core; None without it."""
    for package in sorted(PLACES.glob("*.whl")):
        with zipfile.ZipFile(package) as archive:
            for name in archive.namelist():
                if name.endswith("/axe.min.js"):
                    return archive.read(name).decode()
    return None


async def violations(page, text):
    """The grave violations of the rules on the shown page, one line for each."""
    # The policy of the page permits no other scripts. The debugger evaluates this one without the policy.
    if not await page.run("!!window.axe"):
        await page.send("Runtime.evaluate", expression=text)
    found = await page.run("""axe.run({ resultTypes: ["violations"] }).then((result) => result.violations.map((rule) =>
        ({ impact: rule.impact, text: `${rule.id}: ${rule.help}: ${rule.nodes[0].html.slice(0, 200)}` })))""")
    return [f"{rule['impact']} {rule['text']}" for rule in found if rule["impact"] in GRAVE]
