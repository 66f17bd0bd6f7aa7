// Frameworks as the cluster has them now, from the command kubectl framework ui, which follows them with the credentials of its user.
// The history server has no such path; then there are none.
import {useAnswer} from './answer.js'
import {address, ask, hasLive} from './api.js'
import {useRef} from './html.js'

// useLive returns the Frameworks of a namespace by UID, of all if it is empty, and why there are none. Unless wanted, it asks nothing.
// With explained, a Framework of the namespace, it also returns its explanation, or why there is none.
export function useLive(namespace = '', {wanted = true, explained} = {}) {
	const last = useRef({}) // the explanation, for which version of the Framework, and when
	const answer = useAnswer(wanted ? `live ${namespace} ${explained?.uid ?? ''}` : '', async ({signal}) => {
		if (!wanted) return
		if (!await hasLive) return {none: true}
		const page = await (await ask(address(['live', 'frameworks'], {namespace}), {signal})).json()
		const rows = new Map(page.items.map(f => [f.uid, f]))
		return {rows, message: page.message, explanation: explained && await explanationOf(explained, rows.get(explained.uid)?.version, last.current, signal)}
	}, {follow: {path: ['live', 'changes'], query: {namespace}, offered: () => hasLive, every: () => 10_000}, over: d => d.none})
	const {rows, message, explanation, none} = answer.data ?? {}
	return {rows, none, explanation, message: answer.error?.message ?? message, merged: (items, asked) => merged(items, rows, asked)}
}

// An explanation reads Pods and events, too. Unless the Framework has changed, it is not read again within this time, in milliseconds.
const explanationLasts = 10_000

async function explanationOf({namespace, name, uid}, version, last, signal) {
	if (last.of !== uid || last.version !== version || Date.now() - last.at > explanationLasts) {
		try {
			last.explanation = await (await ask(address(['live', 'explain'], {namespace, name, uid}), {signal})).json()
		} catch (e) {
			if (signal.aborted) throw e
			last.explanation = {message: e.message}
		}
		Object.assign(last, {of: uid, version, at: Date.now()})
	}
	return last.explanation
}

// merged puts what runs now over what the history has, and those that it does not have yet before it. Where there are filters that only the
// history knows, nothing is added.
function merged(items, rows, asked) {
	if (!rows) return items
	const known = new Set(items.map(f => f.uid))
	const filtered = asked.name || asked.state || asked.code || asked.node || asked.labelSelector || asked.failed || asked.until
	const fresh = filtered ? [] : [...rows.values()].filter(f => !known.has(f.uid) && !(f.created < asked.since && f.completed))
	return [...fresh, ...items.map(f => {
		const now = rows.get(f.uid)
		return now && f.state !== 'Deleted' && !f.completed ? {...f, ...now, retries: f.retries, accountableRetries: f.accountableRetries} : f
	})].sort((a, b) => Date.parse(b.created) - Date.parse(a.created))
}
