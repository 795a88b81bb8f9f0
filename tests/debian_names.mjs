// debian_names.mjs: what a page of refrain view names, and how often: node debian_names.mjs MODULES PAGE, for debian_names.sh.
// MODULES has playwright-core. Prints lines "NAME TIMES".

import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";

const [modules, path] = process.argv.slice(2);
const { chromium } = createRequire(join(modules, "package.json"))("playwright-core");
const profile = mkdtempSync(join(tmpdir(), "refrain-profile-"));
const browser = await chromium.launchPersistentContext(profile, {
    executablePath: "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"],
});
const page = await browser.newPage();
await page.goto(`file://${path}`, { timeout: 300000 });
await page.waitForFunction(() => window.refrainView?.state.whole && window.refrainView.state.scanned.done, null, { timeout: 600000 });
const found = await page.evaluate(() => {
    const { whole, names } = window.refrainView.state;
    return whole.totals.map(({ count }, i) => [names.regions[i]?.name ?? "(unknown)", count]);
});
await browser.close();
rmSync(profile, { recursive: true });
const times = new Map();
for (const [name, count] of found) if (count > 0) times.set(name, (times.get(name) ?? 0) + count);
for (const [name, count] of times) console.log(`${name}\t${count}`);
