// Opens the page in Chromium and looks at it: node drive.mjs PART OPTIONS, with options as JSON. It ends with 1 and says what is wrong.
import {existsSync, mkdirSync, readFileSync, writeFileSync} from 'node:fs'
import {createRequire} from 'node:module'
import {join, resolve} from 'node:path'

const [part, text] = process.argv.slice(2)
const options = JSON.parse(text)
const modules = createRequire(join(resolve(options.modules), 'x'))
const {chromium} = modules('playwright-core')
const axe = readFileSync(join(resolve(options.modules), 'axe-core/axe.min.js'), 'utf8')

const wrong = []
const check = (ok, what) => { if (!ok) wrong.push(what) }
const same = (got, want, what) => check(JSON.stringify(got) === JSON.stringify(want), `${what}: ${JSON.stringify(got)}, and not ${JSON.stringify(want)}`)
const api = async path => (await fetch(new URL('/api/v1/' + path, options.server ?? options.url))).json()

const browser = await chromium.launch({executablePath: options.chromium, env: {...process.env, ...options.environment}, args: ['--no-sandbox', '--font-render-hinting=none', '--enable-precise-memory-info']})

// open shows an address in a page that notes every mistake.
async function open(address, {theme = 'light', width = 1280, height = 800, zoom = 1, zone = 'UTC', prepare} = {}) {
	const page = await browser.newPage({viewport: {width: Math.round(width / zoom), height: Math.round(height / zoom)}, deviceScaleFactor: zoom, colorScheme: theme, timezoneId: zone, locale: 'en-US', reducedMotion: 'reduce'})
	const own = new URL(address).origin
	// Answers that a part refuses on purpose are errors on the console, too.
	if (!prepare) page.on('console', m => check(!['error', 'warning'].includes(m.type()), `${address}: the console says: ${m.text()}`))
	page.on('pageerror', e => wrong.push(`${address}: ${e.stack}`))
	page.on('dialog', d => { wrong.push(`${address}: a dialog opened: ${d.message()}`); d.dismiss() })
	page.on('request', r => check(new URL(r.url()).origin === own || r.url().startsWith('blob:' + own), `${address}: asks ${r.url()}`))
	watchRequests(page)
	await prepare?.(page)
	await page.addInitScript(() => { globalThis.ran = () => { globalThis.hasRun = true } })
	await page.goto(address)
	await settled(page)
	return page
}

// watchRequests notes the requests of a page that have no answer yet. A stream of events never has one.
const pending = new Map()
function watchRequests(page) {
	const under = new Set()
	pending.set(page, under)
	page.on('request', r => r.resourceType() !== 'eventsource' && under.add(r))
	for (const end of ['requestfinished', 'requestfailed']) page.on(end, r => under.delete(r))
}

// settled waits until the view has read all that it needs.
async function settled(page) {
	await page.waitForSelector('main h1, main h2, main .state')
	await page.waitForFunction(() => !document.querySelector('.loading') && !/reading more/i.test(document.body.textContent), null, {timeout: 60_000})
	for (let quiet = 0; quiet < 4; quiet = pending.get(page)?.size ? 0 : quiet + 1) await page.waitForTimeout(50)
}

const closed = async page => {
	check(!await page.evaluate(() => globalThis.hasRun), `${page.url()}: a script from data has run`)
	await page.close()
}

const texts = (page, selector) => page.$$eval(selector, all => all.map(e => e.textContent.trim().replace(/\s+/g, ' ')))

// accessible runs axe. Findings of no or small impact are left out.
async function accessible(page, name) {
	await page.evaluate(axe)
	const {violations} = await page.evaluate(() => axe.run(document, {resultTypes: ['violations']}))
	for (const v of violations.filter(v => ['serious', 'critical'].includes(v.impact))) {
		wrong.push(`${name}: ${v.id}: ${v.help}: ${v.nodes.slice(0, 3).map(n => n.target.join(' ') + ' ' + (n.any[0]?.message ?? '')).join('; ')}`)
	}
}

// walked goes through the page by Tab, and demands that each stop can be seen to have the focus, has a name, and that there is an end.
async function walked(page, name) {
	await page.evaluate(() => document.activeElement?.blur?.())
	const stops = new Set()
	let last
	for (let i = 0; i < 1000; i++) {
		await page.keyboard.press('Tab')
		const stop = await page.evaluate(() => {
			const e = document.activeElement
			if (!e || e === document.body) return null
			e.dataset.stop ??= String(globalThis.stops = (globalThis.stops ?? 0) + 1)
			const style = getComputedStyle(e)
			return {id: e.dataset.stop, tag: e.tagName, name: e.getAttribute('aria-label') || e.textContent.trim() || e.labels?.[0]?.textContent || e.title || e.value, seen: style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 1}
		})
		if (!stop || stops.has(stop.id)) break
		check(stop.name, `${name}: the ${stop.tag} at stop ${i + 1} has no name`)
		check(stop.seen, `${name}: the ${stop.tag} "${stop.name}" shows no focus`)
		stops.add(stop.id)
		last = stop
	}
	const all = await page.$$eval('main a[href], main button:not([disabled]):not([tabindex="-1"]), main select, main input', found => found.length)
	check(stops.size >= Math.min(all, 990), `${name}: ${stops.size} stops for ${all} controls; the last is ${JSON.stringify(last)}`)
	return stops.size
}

// alike compares a screenshot with the one that is kept, by pixels of pictures a quarter as wide. Times differ from run to run, so that a small
// share may, and what is drawn or sorted by times is left out. On a node the number of Tasks is chance, so that all below its filters is left out.
async function alike(page, name) {
	await page.mouse.move(0, 0)
	await page.evaluate(() => { document.activeElement?.blur?.(); scrollTo(0, 0) })
	const picture = await page.screenshot(), file = join(options.goldens, name + '.png')
	if (options.rewrite) {
		mkdirSync(options.goldens, {recursive: true})
		writeFileSync(file, picture)
		return
	}
	if (!existsSync(file)) return wrong.push(`${name}: there is no ${file}: go test ./test/browser -rewrite`)
	const left = await page.evaluate(name => {
		const below = name.startsWith('node') && document.querySelector('form.filters')?.getBoundingClientRect().bottom
		return below ? [{x: 0, y: below - 60, width: innerWidth, height: innerHeight}] : [...document.querySelectorAll('.lanes .scroll, .curve, [aria-label=Failures]')].map(e => e.getBoundingClientRect().toJSON())
	}, name)
	const blank = await browser.newPage()
	const share = await blank.evaluate(async ([a, b, left]) => {
		const pixels = async data => {
			const image = new Image()
			image.src = 'data:image/png;base64,' + data
			await image.decode()
			const c = new OffscreenCanvas(Math.round(image.width / 4), Math.round(image.height / 4)).getContext('2d')
			c.drawImage(image, 0, 0, c.canvas.width, c.canvas.height)
			return c.getImageData(0, 0, c.canvas.width, c.canvas.height)
		}
		const [one, other] = [await pixels(a), await pixels(b)]
		if (one.width !== other.width || one.height !== other.height) return 1
		const out = i => left.some(r => { const x = i / 4 % one.width * 4, y = Math.floor(i / 4 / one.width) * 4; return x >= r.x && x < r.x + r.width && y >= r.y && y < r.y + r.height })
		let differ = 0
		for (let i = 0; i < one.data.length; i += 4) if (!out(i) && Math.max(...[0, 1, 2].map(j => Math.abs(one.data[i + j] - other.data[i + j]))) > 40) differ++
		return differ / (one.data.length / 4)
	}, [picture.toString('base64'), readFileSync(file).toString('base64'), left])
	await blank.close()
	if (share > 0.03) {
		writeFileSync(join(options.out, name + '.png'), picture)
		wrong.push(`${name}: ${(100 * share).toFixed(1)} % of the picture differ from ${file}`)
	}
}

// longestWork returns what act does, and how long the page itself worked at most for one step of it, in milliseconds of its thread: other programs may
// take the processor from it, which is no fault of the page.
async function longestWork(act) {
	const c = await browser.newBrowserCDPSession(), events = []
	c.on('Tracing.dataCollected', ({value}) => events.push(...value))
	await c.send('Tracing.start', {transferMode: 'ReportEvents', traceConfig: {includedCategories: ['toplevel', 'cc']}})
	const answer = await act()
	const ended = new Promise(done => c.once('Tracing.tracingComplete', done))
	await c.send('Tracing.end')
	await ended
	await c.detach()
	const main = events.findLast(e => e.name === 'ProxyMain::BeginMainFrame')
	const work = events.filter(e => e.tid === main?.tid && e.pid === main?.pid && e.tdur !== undefined && e.name.endsWith('RunTask')).map(e => e.tdur / 1000)
	if (work.length === 0) throw new Error('the trace has no work of the page')
	return [answer, Math.round(Math.max(...work))]
}

const parts = {
	// Each view of a history that a controller has made.
	async views() {
		const {items: all} = await api('frameworks?namespace=default')
		const train = await api('frameworks/default/train')
		const {items: tasks} = await api('frameworks/default/train/tasks?limit=1000&details=true')
		const isOwn = t => t.completion.type === 'Failed' && ![-210, -220, -230, -240, -241, -250, -251].includes(t.completion.code)
		const failed = tasks.find(t => isOwn(t) && t.frameworkAttempt === train.attempts[0].id)
		const {items: failures} = await api('tasks?namespace=sweep&failed=true&limit=1000')
		const node = failed.node
		const {items: here} = await api(`tasks?namespace=default&node=${node}&limit=1000`)
		const report = await api('report?by=label:team&namespace=default')
		const views = {
			list: ['#/?namespace=default&columns=team,user', async page => {
				same(await texts(page, 'tbody td.name'), all.map(f => f.name), 'list: names')
				same((await texts(page, 'tbody td.ending')).map(t => parseInt(/-?\d+/.exec(t)?.[0] ?? '0')), all.map(f => f.completion?.code ?? 0), 'list: codes')
				same((await texts(page, 'tbody tr')).map(t => /vision|speech/.exec(t)?.[0]), all.map(f => f.labels.team), 'list: labels')
			}],
			attempts: ['#/frameworks/default/train?unfolded=worker', async page => {
				same(await texts(page, '.grid thead tr:first-child th.number'), train.attempts.map(a => String(a.id)).reverse(), 'attempts: columns')
				same(await texts(page, '.fold'), [...new Set(train.outcomes.map(o => o.role))], 'attempts: roles')
				same((await texts(page, '.grid th.task')).length, 6, 'attempts: Tasks of the unfolded role')
				same((await texts(page, 'section:last-of-type tbody td:nth-child(2)')).map(t => parseInt(/-?\d+/.exec(t)[0])), train.attempts.map(a => a.completion.code), 'attempts: codes')
				const {statements: [first]} = await api('frameworks/default/train/explain'), [lead] = await texts(page, '.lead')
				for (const p of first.parts.filter(p => !p.time)) check(lead.includes(p.text.trim()), `attempts: the first sentence is ${lead}, without ${p.text}`)
				same(await page.$$eval('.lead time', all => all.map(e => e.dateTime)), first.parts.filter(p => p.time).map(p => p.time), 'attempts: times of the first sentence')
				check((await texts(page, '.explained'))[0].includes(`Task ${failed.role}-${failed.index} ended the attempt.`), 'attempts: no sentence says who decided')
			}],
			timeline: ['#/frameworks/default/train/timeline', async page => {
				const of = tasks.filter(t => t.frameworkAttempt === train.attempts[0].id)
				check((await page.getAttribute('.lanes .scroll', 'aria-label')).startsWith(`Timeline of ${of.length} attempts`), 'timeline: number of attempts')
				const drawn = await page.$eval('.lanes canvas', c => { const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data; const seen = new Set(); for (let i = 0; i < d.length; i += 4) seen.add(d[i] << 16 | d[i + 1] << 8 | d[i + 2]); return seen.size })
				check(drawn > 5, 'timeline: nothing is drawn')
				await page.focus('.lanes .scroll')
				const words = new Set()
				for (let i = 0; i < of.length; i++) { await page.keyboard.press('ArrowDown'); words.add(await page.textContent('.over')) }
				same(words.size, of.length, 'timeline: attempts that the arrows reach')
				check([...words].some(w => w.includes('It failed first')), 'timeline: no attempt is the first failure')
				await page.keyboard.press('+')
				await page.keyboard.press('0')
			}],
			task: [`#/frameworks/default/train/tasks/${failed.role}/${failed.index}`, async page => {
				const text = await page.textContent('main')
				for (const want of [String(failed.completion.code), failed.completion.phrase, failed.pod, failed.node, ...failed.containers.map(c => c.name)]) check(text.includes(want), `task: ${want} is missing`)
				check(text.includes('<img src=x') && text.includes('U+202E'), 'task: the message is not shown as text')
			}],
			tasks: ['#/frameworks/default/train/tasks?failed=true', async page => {
				same((await texts(page, '.virtual td.name')).length, tasks.filter(isOwn).length, 'tasks: failures')
			}],
			failures: ['#/failures?namespace=sweep', async page => {
				const counts = {}
				for (const t of failures) counts[t.completion.code] = (counts[t.completion.code] ?? 0) + 1
				const shown = Object.fromEntries((await page.$$eval('[aria-label=Codes] tbody tr', rows => rows.map(r => [parseInt(r.querySelector('a').textContent), Number(r.children[1].textContent)]))))
				same(shown, counts, 'failures: counts by code')
				const {rows} = await api('failures?by=node&namespace=sweep')
				same(await page.$$eval('[aria-label=Ranking] tbody tr', rows => rows.map(r => [r.children[0].textContent.replace(' stands out', ''), Number(r.children[1].textContent), Number(r.children[2].textContent)])),
					rows.slice(0, 12).map(r => [r.group, r.failed, r.attempts]), 'failures: ranking of nodes')
			}],
			node: [`#/nodes/${node}?namespace=default`, async page => {
				check((await texts(page, '.lead'))[0].startsWith(`${here.length} attempt`), `node: not ${here.length} attempts: ${(await texts(page, '.lead'))[0]}`)
			}],
			report: ['#/report?by=label&key=team&namespace=default', async page => {
				same(await page.$$eval('tbody tr', rows => rows.map(r => [r.children[0].textContent, Number(r.children[1].textContent), Number(r.children[2].textContent)])), report.rows.map(r => [r.group, r.attempts, r.failed]), 'report: rows')
			}],
		}
		for (const [name, [address, compare]] of Object.entries(views)) {
			const inTheme = async theme => {
				const page = await open(options.url + '/' + address, {theme})
				await alike(page, `${name}-${theme}`)
				if (theme === 'light') {
					console.log(`${name}: ${await walked(page, name)} stops by keyboard`)
					await compare(page)
				}
				await accessible(page, `${name}, ${theme}`)
				await closed(page)
			}
			const inLarge = async () => {
				const page = await open(options.url + '/' + address, {zoom: 4})
				const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
				check(wide <= 1, `${name}: at 400 % the page is ${wide} pixels wider than the window`)
				await closed(page)
			}
			await Promise.all([inTheme('light'), inTheme('dark'), inLarge()]) // they wait for most of the time
		}
		// A reader elsewhere sees the times of sentences in the own zone, and UTC besides.
		const zone = 'Asia/Kolkata', abroad = await open(options.url + '/#/frameworks/default/train', {zone})
		const ended = await abroad.$eval('.lead time', e => ({at: e.dateTime, words: e.textContent, title: e.title}))
		const there = new Intl.DateTimeFormat('en-US', {hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZone: zone}).format(new Date(ended.at))
		check(ended.words.includes(there), `the lead says ${ended.words}, and it was ${there} in ${zone}`)
		same(ended.title, ended.at.replace('T', ' ').replace('Z', ' UTC'), 'the lead in UTC')
		await closed(abroad)
		// By keyboard alone from the list to the Task that failed.
		const page = await open(options.url + '/#/?namespace=default&name=train')
		await page.focus('td.name a')
		await page.keyboard.press('Enter')
		await page.waitForSelector('.explained a')
		await page.focus('.explained a')
		await page.keyboard.press('Enter')
		await page.waitForSelector('section.task')
		check(page.url().includes(`/tasks/${failed.role}/${failed.index}`), `the explanation does not lead to the Task that failed: ${page.url()}`)
		await closed(page)
	},

	// An operator finds the bad node in a history of many Frameworks, and each number leads to its rows.
	async operator() {
		const begun = performance.now()
		const page = await open(options.url + '/#/')
		await page.getByRole('link', {name: 'Failures'}).click()
		const first = page.locator('[aria-label=Ranking] tbody tr').first()
		await first.waitFor()
		check((await first.textContent()).startsWith(options.bad + ' stands out'), `operator: the first node is ${await first.textContent()}`)
		same(await page.locator('[aria-label=Ranking] .alarm').count(), 1, 'operator: nodes that stand out')
		const box = await first.boundingBox()
		check(box.y + box.height < 800, 'operator: the bad node is not on the first screen')
		for (const by of ['Nodes', 'Images', 'Roles', 'Rules']) {
			await page.getByRole('button', {name: by}).click()
			await page.waitForSelector(`.choices [aria-pressed=true]:text("${by}")`)
			await settled(page)
			const links = await page.$$eval('[aria-label=Ranking] tbody tr:first-child td.number a', all => all.map(a => [a.getAttribute('href'), Number(a.textContent.replaceAll(',', ''))]))
			if (by !== 'Rules') check(links.length > 0, `operator: ${by} have no numbers`)
			for (const [address, number] of links) {
				const rows = await open(options.url + '/' + address)
				const shown = (await texts(rows, '.foot[role=status]'))[0] ?? 'no row'
				check(parseInt(shown.replaceAll(',', '')) === number, `operator: ${number} of ${by} leads to ${shown}: ${address}`)
				await closed(rows)
			}
		}
		await page.getByRole('button', {name: 'Nodes'}).click()
		await page.locator('[aria-label=Ranking]').getByRole('link', {name: options.bad, exact: true}).click()
		await page.waitForSelector('.lead')
		await settled(page)
		check(/failed by themselves, in \d+ Frameworks/.test((await texts(page, '.lead'))[0]), 'operator: the node does not say in how many Frameworks Tasks failed')
		await page.goto(options.url + '/#/?namespace=sweep')
		await page.getByRole('button', {name: 'Show more'}).click()
		await page.waitForFunction(n => document.querySelectorAll('tbody tr').length === n, options.frameworks)
		console.log(`operator: ${Math.round(performance.now() - begun)} ms with all checks`)
		await closed(page)
	},

	// The page says honestly what is wrong, and recovers by itself.
	async states() {
		const refuse = status => page => page.route('**/api/v1/**', r => status ? r.fulfill({status, json: {status, message: 'as the server says'}}) : r.abort())
		for (const [status, title] of [[0, 'The server does not answer'], [401, 'Your credentials have expired'], [403, 'You may not read this'], [429, 'The server is busy'], [502, 'The server does not answer']]) {
			const page = await open(options.url + '/#/?namespace=default', {prepare: refuse(status)})
			same((await texts(page, '.state.failed h2'))[0], title, `states: ${status}`)
			check(!status || (await page.textContent('.state.failed')).includes('as the server says'), `states: ${status}: the reason is missing`)
			if (status === 403) await accessible(page, 'states')
			await page.screenshot({path: join(options.out, `state-${status}.png`)})
			await page.unroute('**/api/v1/**')
			if (status === 0) await page.waitForSelector('tbody td.name', {timeout: 15_000}) // by itself
			else await page.click('.state.failed button')
			await page.waitForSelector('tbody td.name')
			await closed(page)
		}
		// With an older answer, that stays, and says that it is older, until there is a new one.
		const page = await open(options.url + '/#/?namespace=default', {prepare: () => {}})
		await refuse(401)(page)
		await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
		await page.waitForSelector('.stale')
		check((await page.textContent('.stale')).includes('Your credentials have expired'), 'states: an older answer does not say why it is one')
		check((await texts(page, 'tbody td.name')).length > 0, 'states: the older answer is gone')
		await page.unroute('**/api/v1/**')
		await page.click('.stale button')
		await page.waitForSelector('.stale', {state: 'detached'})
		await closed(page)
		// A user with an own label has a switch for it.
		const own = await open(options.url + '/#/?namespace=default', {prepare: page => page.route('**/api/v1/user', r => r.fulfill({json: {name: 'ann', labelSelector: 'user=ann'}}))})
		await own.getByRole('button', {name: 'Mine'}).click()
		await own.waitForFunction(() => document.querySelectorAll('tbody td.name').length === 1)
		same(await texts(own, 'tbody td.name'), ['train'], 'states: the Frameworks of the user')
		await closed(own)
	},

	// A Framework that runs is followed to its end, and then nothing is asked any longer.
	async updates() {
		const page = await open(`${options.url}/#/frameworks/default/${options.name}`)
		check((await texts(page, '.lead'))[0].includes('has not ended'), `updates: it begins with ${(await texts(page, '.lead'))[0]}`)
		await page.waitForSelector('.freshness')
		console.log(`updates: ${(await texts(page, '.freshness'))[0]}`)
		await page.waitForFunction(() => document.querySelector('.lead').textContent.includes('has succeeded'), null, {timeout: 60_000 * options.slow})
		await settled(page)
		same(await page.locator('.freshness').count(), 0, 'updates: a Framework that is over is still followed')
		let asked = 0
		page.on('request', () => asked++)
		await page.waitForTimeout(3000)
		same(asked, 0, 'updates: requests after the end')
		await closed(page)
	},

	// The page by kubectl framework ui: the address opens one browser, and the Framework that runs is shown as it is now.
	async command() {
		const address = new URL(options.url), origin = address.origin
		same((await fetch(origin + '/')).status, 401, 'command: without the secret')
		const page = await open(options.url, {prepare: () => {}})
		check(!page.url().includes('key='), `command: the secret stays in the address: ${page.url()}`)
		check(page.url().endsWith('#/frameworks/default/train'), `command: it does not begin with the Framework: ${page.url()}`)
		same((await fetch(options.url.replace(/#.*/, ''), {redirect: 'manual'})).status, 401, 'command: the secret works twice')
		await page.goto(origin + '/#/?namespace=default')
		await page.waitForSelector('.live', {timeout: 30_000})
		check((await page.textContent('tr:has(.live)')).includes('2 of 2 run'), 'command: the Framework that runs is not shown with its Tasks')
		check(await page.evaluate(() => document.cookie) === '', 'command: scripts can read the cookie')
		// A Framework that runs is explained by the cluster, as the command explain does.
		await page.goto(origin + '/#/frameworks/default/serve')
		await page.waitForSelector('.lead time', {timeout: 30_000})
		await settled(page)
		const [lead] = await texts(page, '.lead')
		check(lead.includes('Framework serve is running: attempt 0 began at'), `command: the heading of a Framework that runs says ${lead}`)
		check((await texts(page, '.explained'))[0].includes('Both of its Tasks are running.'), 'command: the heading does not say how the Tasks stand')
		for (const theme of ['light', 'dark']) {
			await page.emulateMedia({colorScheme: theme})
			await alike(page, `running-${theme}`)
			await accessible(page, `running, ${theme}`)
		}
		// Who may not read what that takes learns so, and sees what the history knows.
		await page.route('**/live/explain**', r => r.fulfill({status: 403, json: {status: 403, message: 'pods is forbidden'}}))
		await page.reload()
		await page.waitForSelector('.stale')
		check((await page.textContent('.stale')).includes('pods is forbidden'), 'command: it does not say why the Framework is not explained')
		check((await texts(page, '.lead'))[0].includes('Its first attempt has not ended.'), 'command: without an explanation, nothing says how the Framework stands')
		await closed(page)
	},

	async hostile() {
		const of = ['frameworks', options.namespace, options.name].map(encodeURIComponent).join('/')
		for (const address of ['#/?columns=team,link', `#/${of}`, `#/${of}?unfolded=worker`, `#/${of}/timeline`, `#/${of}/tasks`, `#/${of}/tasks/worker/0`, '#/failures', '#/failures?by=rule', '#/report?by=label&key=team', `#/nodes/${encodeURIComponent(options.node)}`, '#/<script>ran()</script>']) {
			const page = await open(options.url + '/' + address)
			check(await page.$$eval('script:not([src]), img, iframe, a[href^="javascript:"]', found => found.length) === 0, `${address}: markup from data`)
			check(address.includes('<') || address.includes('report') || (await page.textContent('body')).includes('U+202E'), `${address}: a character that turns the text around is not named`)
			check(!(await page.textContent('body')).includes('\u202e'), `${address}: a character turns the text around`)
			await closed(page)
		}
	},

	async log() {
		const address = options.url + '/#/frameworks/default/train/tasks/worker/1'
		let page = await open(address)
		await page.waitForSelector('.pane .line')
		check((await page.textContent('main')).includes('Search in 5,000 lines'), 'log: not 5,000 lines')
		check((await texts(page, '.pane .line')).at(-1).endsWith('step 4999'), 'log: it does not begin with its end, where the error is')
		await page.fill('input[type=search]', 'nan')
		await page.waitForSelector('.line.hit')
		const hit = await page.textContent('.line.hit')
		check(/^4001.*Loss is NaN <img src=x onerror=ran\(\)> U\+202E \ufffd$/.test(hit), `log: the search finds ${hit}`)
		check(await page.$eval('.line.hit .ansi-red-fg', e => e.textContent) === 'Loss is NaN', 'log: no color')
		check(await page.$$eval('.pane img, .pane a', found => found.length) === 0, 'log: markup or a link from data')
		await accessible(page, 'log')
		await page.click('.line.hit .nr')
		check(page.url().endsWith('line=4001'), `log: the line has no address: ${page.url()}`)
		const sent = page.url()
		await closed(page)
		page = await open(sent)
		await page.waitForSelector('.line.chosen')
		check((await page.textContent('.line.chosen')).startsWith('4001'), 'log: the address leads to another line')
		await page.screenshot({path: join(options.out, 'log.png')})
		await closed(page)
	},

	async large() {
		const client = async page => {
			const c = await page.context().newCDPSession(page)
			await c.send('HeapProfiler.collectGarbage')
			return page.evaluate(() => performance.memory.usedJSHeapSize / 2 ** 20)
		}
		for (const [address, scrolled] of [['#/frameworks/default/large', 'html'], ['#/frameworks/default/large/timeline', '.lanes .scroll'], ['#/frameworks/default/large/timeline?unfolded=worker', '.lanes .scroll'], ['#/frameworks/default/large/tasks?attempt=20', '.virtual'], ['#/frameworks/default/large/tasks', '.virtual'], ['#/frameworks/default/large?unfolded=worker', 'html']]) {
			const page = await browser.newPage({viewport: {width: 1280, height: 800}})
			page.on('pageerror', e => wrong.push(`${address}: ${e.stack}`))
			await page.goto(options.url + '/' + address)
			await page.waitForSelector('h1')
			const paint = await page.evaluate(() => new Promise(done => new PerformanceObserver(l => done(l.getEntries().at(-1).startTime)).observe({type: 'largest-contentful-paint', buffered: true})))
			await settled(page)
			// Another program may take the processor for a moment, so that one frame in a hundred may be late.
			const [frames, work] = await longestWork(() => page.evaluate(async selector => {
				const element = document.querySelector(selector), times = []
				let last = performance.now()
				for (let i = 0; i < 100; i++) {
					element.scrollTop += i < 50 ? 400 : -400
					if (selector.includes('lanes')) element.dispatchEvent(new WheelEvent('wheel', {deltaY: i < 50 ? -60 : 60, ctrlKey: true, clientX: 700, bubbles: true, cancelable: true}))
					await new Promise(requestAnimationFrame)
					const now = performance.now()
					times.push(now - last)
					last = now
				}
				return times.sort((a, b) => a - b).map(Math.round)
			}, scrolled))
			const memory = await client(page)
			console.log(`${address}: first paint ${Math.round(paint)} ms, frames: median ${frames[50]} ms, 99th ${frames[98]} ms, longest ${frames[99]} ms, longest work ${work} ms; ${Math.round(memory)} MiB`)
			check(paint < 1500 * options.slow, `${address}: the first paint took ${Math.round(paint)} ms`)
			check(work < 50 * options.slow, `${address}: the page worked ${work} ms for one frame`)
			check(frames[98] < 100 * options.slow, `${address}: a frame in a hundred took ${frames[98]} ms`)
			check(memory < 300, `${address}: ${Math.round(memory)} MiB`)
			await page.close()
		}
		// A timeline of all attempts says what it leaves out, and leads to it.
		const timeline = options.url + '/#/frameworks/default/large/timeline?attempt=all'
		const page = await open(timeline)
		const says = async () => (await texts(page, '.left-out p'))[0] ?? 'nothing'
		check((await says()).startsWith('Attempts 46 to 49 of 50: 40,000 of 500,000 attempts of Tasks.'), `large: the timeline of all attempts says ${await says()}`)
		await page.getByRole('button', {name: 'Earlier attempts'}).click()
		await page.waitForFunction(() => document.querySelector('.left-out p')?.textContent.startsWith('Attempts 42 to 45 of 50'), null, {timeout: 60_000 * options.slow})
		await page.getByRole('button', {name: 'Later attempts'}).click()
		await page.waitForFunction(() => document.querySelector('.left-out p')?.textContent.startsWith('Attempts 46 to 49 of 50'), null, {timeout: 60_000 * options.slow})
		await closed(page)
		for (const [query, n] of [['&role=worker&index=76', 50], ['&role=leader', 50], ['&failed=true', 49]]) {
			const part = await open(timeline + query)
			check((await part.getAttribute('.lanes .scroll', 'aria-label')).startsWith(`Timeline of ${n} attempts`), `large: ${query} shows ${await part.getAttribute('.lanes .scroll', 'aria-label')}`)
			same(await part.locator('.left-out').count(), 0, `large: ${query} leaves out something`)
			await closed(part)
		}
	},
}

try {
	await parts[part]()
} catch (e) {
	wrong.push(e.stack)
} finally {
	await browser.close()
}
for (const what of wrong) console.log('WRONG ' + what)
process.exit(wrong.length ? 1 : 0)
