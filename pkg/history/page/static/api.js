// The API of the history server, beside the page. It is only read.

// hasLive tells, after the first answer, whether there is a path with the Frameworks that run now.
let noteLive
export const hasLive = new Promise(resolve => { noteLive = resolve })

// Refusal is an answer that is no success. Its status is 0 if there was no answer.
export class Refusal extends Error {
	constructor(status, message) {
		super(message)
		this.status = status
	}
}

// address returns an address beside the page. Parameters that are empty are left out.
export function address(path, query) {
	const at = new URL(path.map(encodeURIComponent).join('/'), document.baseURI)
	for (const [name, value] of Object.entries(query ?? {})) {
		if (value !== undefined && value !== null && value !== '' && value !== false) at.searchParams.set(name, value)
	}
	return at
}

export const apiPath = path => ['api', 'v1', ...path]

// ask fetches an address beside the page.
export async function ask(at, {signal} = {}) {
	let answer
	try {
		answer = await fetch(at, {signal, credentials: 'same-origin', redirect: 'error'})
	} catch (e) {
		if (signal?.aborted) throw e
		throw new Refusal(0, 'The server does not answer.')
	}
	noteLive(answer.headers.has('X-Framework-Live'))
	if (answer.ok) return answer
	let message = `${answer.status} ${answer.statusText}`
	try { message = (await answer.json()).message || message } catch {}
	throw new Refusal(answer.status, message)
}

export const request = (path, query, options) => ask(address(apiPath(path), query), options)

export const get = async (path, query, options) => (await request(path, query, options)).json()

// offers tells whether the server has a path: an older server may lack it, and some depend on the configuration.
let paths
export async function offers(path) {
	paths ??= get(['openapi.json']).then(d => new Set(Object.keys(d.paths)), e => { paths = undefined; throw e })
	return (await paths).has('/api/v1/' + path)
}

// each reads page after page until there is none, or there are enough items, and hands on what is there after each page.
export async function each(path, query, {most, onPage, signal}) {
	let items = [], next = ''
	do {
		const page = await get(path, {...query, limit: Math.min(1000, most - items.length), continue: next}, {signal})
		items = items.concat(page.items)
		next = page.next ?? ''
		onPage(items, next === '', next)
	} while (next && items.length < most)
}
