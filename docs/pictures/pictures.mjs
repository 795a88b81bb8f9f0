// pictures.mjs MODULES DIRECTORY OUT FROM_S: takes the pictures of docs/view.md (pictures.sh). The first step of
// the late sender begins at FROM_S.

import { mkdtempSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";

const [modules, directory, out] = process.argv.slice(2).map((path) => resolve(path));
const from = Number(process.argv[5]) * 1e9;
const { chromium } = createRequire(join(modules, "package.json"))("playwright-core");

const isRead = () =>
    document.querySelector("iframe") !== null ||
    (window.refrainView?.state.scanned.done && window.refrainView.state.settled);

async function settle(page) {
    await page.waitForTimeout(500);
    for (const frame of page.frames()) await frame.waitForFunction(isRead, null, { timeout: 120000 });
    await page.waitForTimeout(500);
}

async function open(name, width, height, colorScheme) {
    const context = await chromium.launchPersistentContext(mkdtempSync(join(directory, "profile-")), {
        executablePath: "/usr/bin/chromium",
        args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"],
        viewport: { width, height },
        colorScheme,
    });
    const page = await context.newPage();
    await page.goto(`file://${join(directory, `${name}.html`)}`);
    await settle(page);
    return page;
}

/** Takes a picture, and prints what stands beside the run. */
async function shoot(page, name) {
    await page.screenshot({ path: join(out, `view-${name}.png`) });
    console.log(`${name}: ${await page.evaluate(() => document.querySelector("aside")?.innerText ?? "")}`);
}
const show = (frame, from, to) => frame.evaluate(([a, b]) => window.refrainView.state.show(a, b), [from, to]);

const late = await open("late", 1200, 640, "light");
await late.locator("[role=tab]", { hasText: "Profile" }).click();
await show(late, from - 1e7, from + 85e7);
await settle(late);
await shoot(late, "whole");
await late.keyboard.press("w");
await late.locator("[role=tab]", { hasText: "Chosen" }).click();
await settle(late);
await shoot(late, "wait");
await late.keyboard.press("m");
await settle(late);
await shoot(late, "sender");
await late.context().close();

const ranks = await open("ranks", 1200, 640, "dark");
await ranks.locator("[role=tab]", { hasText: "Profile" }).click();
await shoot(ranks, "ranks");
await ranks.context().close();

const two = await open("two", 1500, 900, "light");
await show(two.frames()[1], 9.5e6, 12.5e6);
await settle(two);
await shoot(two, "two");
await two.context().close();
