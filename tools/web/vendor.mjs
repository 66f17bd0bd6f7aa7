// Makes one minified ES module of each dependency of the page, with its licence beside it: node vendor.mjs NODE_MODULES OUT
import {copyFileSync, readFileSync, writeFileSync} from 'node:fs'
import {createRequire} from 'node:module'
import {join, resolve} from 'node:path'

const [from, out] = process.argv.slice(2).map(path => resolve(path))
const {buildSync} = createRequire(join(from, 'x'))('esbuild')

// Which module becomes which file, with what it exports.
const modules = [
	{file: 'preact', of: 'preact', source: "export {h, render, Fragment} from 'preact'; export * from 'preact/hooks'"},
	{file: 'htm', of: 'htm', source: "export {default} from 'htm'"},
	{file: 'uplot', of: 'uplot', source: "export {default} from 'uplot'"},
	{file: 'virtual-core', of: '@tanstack/virtual-core',
		source: "export {Virtualizer, elementScroll, observeElementOffset, observeElementRect} from '@tanstack/virtual-core'"},
	{file: 'ansi-up', of: 'ansi_up', source: "export {AnsiUp} from 'ansi_up'"},
]

for (const m of modules) {
	const {version, license} = JSON.parse(readFileSync(join(from, m.of, 'package.json'), 'utf8'))
	const made = buildSync({
		stdin: {contents: m.source, resolveDir: join(from, '..')},
		nodePaths: [from], bundle: true, minify: true, format: 'esm', target: 'es2022', write: false, legalComments: 'none',
		define: {'process.env.NODE_ENV': '"production"'},
	}).outputFiles[0].text
	writeFileSync(join(out, m.file + '.js'), `/* ${m.of} ${version}, ${license}: see ${m.of.replace(/^.*\//, '')}.LICENSE */\n${made}`)
	copyFileSync(join(from, m.of, 'LICENSE'), join(out, m.of.replace(/^.*\//, '') + '.LICENSE'))
}
copyFileSync(join(from, 'uplot', 'dist', 'uPlot.min.css'), join(out, 'uplot.css'))
