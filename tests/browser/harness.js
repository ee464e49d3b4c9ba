/*
 * What the browser tests share: pigpen, Chromium, checking, counting.
 *
 *     const {test, run} = require('./harness');
 *     test('a page opens', async t => { const page = await t.open(url); … });
 *     run();
 *
 * A test gets a folder of its own (t.folder). It fails if a page it opened wrote an error
 * to its console or loaded anything from outside. run() prints a line for each test and
 * at last `N passed, M failed`; words on the command line select tests.
 */
'use strict';

const {chromium} = require('playwright-core');
const assert = require('node:assert');
const axe = require('axe-core').source;
const {execFileSync, spawn, spawnSync} = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const ROOT = path.resolve(__dirname, '../..');
const PIGPEN = process.env.PIGPEN || path.join(ROOT, 'pigpen');
const SHOTS = path.join(ROOT, 'build', 'screenshots');
const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
	'--disable-background-networking', '--disable-component-update', '--disable-sync'];

/* A process that is on its way out may still write. */
const REMOVE = {recursive: true, force: true, maxRetries: 20, retryDelay: 100};

/* How long something that must happen may take on a busy machine. */
const PATIENCE_MS = 120000;

const DESKTOP = {viewport: {width: 1360, height: 900}};
const PHONE = {viewport: {width: 390, height: 844}, isMobile: true, hasTouch: true};

const LOOKS = [['desktop', {}], ['phone', PHONE]].flatMap(([size, options]) =>
	['light', 'dark'].map(colorScheme => [`${size}-${colorScheme}`, {...options, colorScheme}]));

const tests = [];

function test(name, body) {
	tests.push({name, body});
}

/* Standard output of pigpen, which must end with `status`. */
function pigpen(args, options) {
	const o = Object.assign({status: 0}, options);
	const done = spawnSync(PIGPEN, args, {cwd: o.cwd || ROOT, encoding: 'utf8',
		maxBuffer: 1 << 28});

	if (done.status !== o.status)
		throw new Error(`pigpen ${args.join(' ')}: status ${done.status}, expected `
			+ `${o.status}\n${done.stdout.slice(-2000)}${done.stderr}`);
	return done.stdout;
}

class Test {
	constructor(browser) {
		this.browser = browser;
		this.folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pigpen-browser-'));
		this.contexts = [];
		this.errors = [];
	}

	/* Plays one match and returns the path of its replay. */
	replay(game, bots, ...more) {
		pigpen(['match', game, ...bots, '--seed', 'browser', '-q', '-O', this.folder, ...more]);
		const found = fs.readdirSync(this.folder).filter(
			name => name.startsWith(game) && name.endsWith('.replay'));

		return path.join(this.folder, found[0]);
	}

	async open(url, options) {
		const context = await this.browser.newContext(Object.assign({}, DESKTOP, options));
		const page = await context.newPage();

		context.setDefaultTimeout(PATIENCE_MS);
		this.contexts.push(context);
		page.on('pageerror', error => this.errors.push(error.stack));
		page.on('console', message => {
			if (['error', 'warning'].includes(message.type()))
				this.errors.push('console: ' + message.text());
		});
		page.on('request', request => {
			if (!/^(file|data|blob):|^https?:\/\/(127\.0\.0\.1|localhost|\[::1\])[:/]/.test(request.url()))
				this.errors.push('loads ' + request.url());
		});
		await page.goto(url);
		return page;
	}

	/* Waits until the function is true in the page. */
	async until(page, condition) {
		const end = Date.now() + PATIENCE_MS;

		while (!await page.evaluate(condition)) {
			if (Date.now() > end)
				throw new Error('waited in vain for: ' + condition);
			await page.waitForTimeout(20);
		}
	}

	async shot(page, name) {
		fs.mkdirSync(SHOTS, {recursive: true});
		await page.screenshot({path: path.join(SHOTS, name + '.png')});
	}

	async close() {
		for (const context of this.contexts)
			await context.close();
		fs.rmSync(this.folder, REMOVE);
	}
}

/* Runs the body with the address of a served site. */
async function served(words, body) {
	const server = spawn(PIGPEN, ['serve', ...words, '--port', '0'], {stdio: ['ignore', 'pipe', 'inherit']});
	const ended = new Promise(resolve => server.on('exit', resolve));
	const line = await new Promise((resolve, reject) => {
		let text = '';

		server.stdout.on('data', data => {
			text += data;
			if (text.includes('\n'))
				resolve(text);
		});
		server.on('exit', () => reject(new Error('serve ended: ' + text)));
	});

	try {
		await body(line.match(/http:\S+/)[0]);
	} finally {
		server.kill('SIGTERM');
		assert.strictEqual(await ended, 0, 'exit status of serve');
	}
}

/* Whatever hinders people who do not see, or do not see well. */
async function accessible(page) {
	await page.evaluate(axe);
	const found = await page.evaluate(async () => (await window.axe.run()).violations
		.filter(({impact}) => ['serious', 'critical'].includes(impact))
		.map(({id, nodes}) => `${id}: ${nodes[0].html.slice(0, 200)}`));

	assert.deepStrictEqual(found, [], page.url());
}

async function runOne(browser, entry) {
	const t = new Test(browser);
	const start = Date.now();
	let failure = '';

	try {
		await entry.body(t);
		if (t.errors.length)
			failure = t.errors.slice(0, 5).join('\n');
	} catch (error) {
		failure = [error.stack, ...t.errors.slice(0, 5)].join('\n');
	}
	await t.close();
	console.log('%s %s s  %s', failure ? 'FAIL' : 'ok  ',
		((Date.now() - start) / 1000).toFixed(2).padStart(6), entry.name);
	if (failure)
		console.log('    ' + failure.replace(/\n/g, '\n    '));
	return !failure;
}

async function run() {
	const words = process.argv.slice(2);
	const chosen = tests.filter(
		({name}) => !words.length || words.some(word => name.includes(word)));
	const profile = fs.mkdtempSync(path.join(os.tmpdir(), 'pigpen-chromium-'));
	const browser = await chromium.launch({
		executablePath: process.env.CHROMIUM || '/usr/bin/chromium', args: FLAGS,
		timeout: PATIENCE_MS, env: {...process.env, HOME: profile},
	});
	let passed = 0;

	for (const entry of chosen)
		passed += await runOne(browser, entry);
	await browser.close();
	fs.rmSync(profile, REMOVE);
	console.log(`${passed} passed, ${chosen.length - passed} failed`);
	process.exit(passed === chosen.length && chosen.length ? 0 : 1);
}

module.exports = {test, run, pigpen, served, accessible, LOOKS, execFileSync, ROOT, PIGPEN, SHOTS, DESKTOP, PHONE,
	PATIENCE_MS};
