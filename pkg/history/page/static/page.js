// The frame around all views: heading, navigation, and the view that the address names.
import {Empty, Freshness} from './answer.js'
import {Attempts} from './attempts.js'
import {Failures} from './failures.js'
import {html, render, useEffect, useState} from './html.js'
import {List} from './list.js'
import {Node} from './node.js'
import {Report} from './report.js'
import {href, useRoute} from './route.js'
import {Task} from './task.js'
import {AllTasks, TaskList} from './tasks.js'
import {plain} from './text.js'
import {Timeline} from './timeline.js'

// viewOf returns the view of an address, its title, and the entry of the navigation that it belongs to.
function viewOf({parts, query}) {
	const [first, namespace, name, tab, role, index] = parts
	const of = {namespace, name, uid: query.uid}
	if (!first) return [html`<${List} query=${query}/>`, 'Frameworks', '']
	if (first === 'failures') return [html`<${Failures} query=${query}/>`, 'Failures', first]
	if (first === 'report') return [html`<${Report} query=${query}/>`, 'Report', first]
	if (first === 'tasks') return [html`<${AllTasks} query=${query}/>`, 'Attempts of Tasks', 'failures']
	if (first === 'nodes' && namespace) return [html`<${Node} name=${namespace} query=${query}/>`, 'Node ' + namespace, 'failures']
	if (first === 'frameworks' && name) {
		const title = `${namespace}/${name}`
		if (!tab) return [html`<${Attempts} of=${of} query=${query}/>`, title, '']
		if (tab === 'timeline') return [html`<${Timeline} of=${of} query=${query}/>`, 'Timeline of ' + title, '']
		if (tab === 'tasks' && index === undefined) return [html`<${TaskList} of=${of} query=${query}/>`, 'Tasks of ' + title, '']
		if (tab === 'tasks') return [html`<${Task} of=${of} role=${role} index=${index} query=${query}/>`, `${role}-${index} of ${title}`, '']
	}
	return [html`<${Empty}><h2>There is no such view</h2><p><a href="#/">Show the Frameworks</a></p><//>`, 'Not found', '']
}

const themes = {light: 'Light', dark: 'Dark', '': 'As the system'}

function Theme() {
	const [theme, setTheme] = useState(() => localStorage.getItem('theme') ?? '')
	useEffect(() => {
		document.documentElement.dataset.theme = theme
		localStorage.setItem('theme', theme)
		dispatchEvent(new Event('theme'))
	}, [theme])
	return html`<label class="theme"><span class="unseen">Colors</span><select value=${theme} onChange=${e => setTheme(e.target.value)}>${
		Object.entries(themes).map(([value, word]) => html`<option key=${value} value=${value}>${word}</option>`)}</select></label>`
}

// shared are the choices that links between views of all Frameworks keep.
const shared = ({namespace, since}) => ({namespace, since})

function Page() {
	const route = useRoute()
	const [view, title, entry] = viewOf(route)
	useEffect(() => { document.title = plain(title) }, [title])
	const path = route.parts.join('/')
	useEffect(() => { scrollTo(0, 0) }, [path])
	const link = (to, word) => html`<a href=${href(to ? [to] : [], to || entry ? shared(route.query) : {namespace: route.query.namespace ?? route.parts[1]})}
		aria-current=${entry === to ? 'page' : null}>${word}</a>`
	return html`<a class="skip" href="#main" onClick=${e => { e.preventDefault(); document.getElementById('main').focus() }}>Skip to the content</a>
		<header class="top"><nav aria-label="Views">${link('', 'Frameworks')}${link('failures', 'Failures')}${link('report', 'Report')}</nav><div class="aside"><${Freshness}/><${Theme}/></div></header>
		<main id="main" tabindex="-1" key=${path}>${view}</main>`
}

render(html`<${Page}/>`, document.body)
