'use strict';

const assert = require('node:assert');
const { test } = require('node:test');
const { configure, judge, judgePending } = require('./judge');

const ended = (name, exitCode) => ({ name, terminated: { exitCode } });

test('only the exit code counts', () => {
  const settings = configure({});
  assert.strictEqual(judge(settings, { containers: [] }), null);
  assert.strictEqual(judge(settings, { containers: [{ name: 'waits', terminated: null }] }), null);
  assert.strictEqual(judge(settings, { containers: [ended('a', 1), ended('b', 42)] }), null);
  const verdict = judge(settings, { containers: [ended('a', 0), ended('b', 42)] });
  assert.deepStrictEqual(verdict.type, { name: 'Failed', attributes: ['Transient'] });
  assert.strictEqual(verdict.code, 42);
  assert.match(verdict.diagnostics, /container b/);
});

test('the container counts that failed last', () => {
  const at = (container, seconds, nanos = 0) => {
    container.terminated.finishedAt = { seconds: String(seconds), nanos };
    return container;
  };
  const sidecar = (container) => ({ ...container, sidecar: true });
  const code = (...containers) => judge(configure({}), { containers })?.code;
  assert.strictEqual(code(at(ended('a', 1), 9), at(ended('b', 42), 10)), 42);
  assert.strictEqual(code(at(ended('a', 42), 9), at(ended('b', 1), 10)), undefined);
  assert.strictEqual(code(at(ended('a', 1), 9, 1), at(ended('b', 42), 9, 2)), 42);
  assert.strictEqual(code(at(ended('a', 42), 9), at(ended('b', 1), 9)), 42);
  assert.strictEqual(code(ended('a', 1), at(ended('b', 42), 9)), 42);
  assert.strictEqual(code(at(ended('a', 42), 9), ended('b', 1)), 42);
  assert.strictEqual(code(sidecar(at(ended('proxy', 143), 10)), at(ended('b', 42), 9)), 42);
  assert.strictEqual(code(sidecar(at(ended('proxy', 42), 9)), at(ended('b', 0), 10)), 42);
});

test('Pods that do not get to run', () => {
  const pending = (kind, message) => judgePending(configure({}), { pending: { kind, message } });
  assert.strictEqual(pending('ImagePull', 'manifest for app:v9 not found').code, 1000);
  assert.deepStrictEqual(pending('ImagePull', 'toomanyrequests: slow down'), { waitSeconds: 300 });
  assert.strictEqual(pending('ImagePull', 'no route to host'), null);
  assert.strictEqual(pending('Unscheduled', 'not found'), null);
});

test('the node is avoided if that is configured', () => {
  const failed = { containers: [ended('a', 42)] };
  assert.strictEqual(judge(configure({}), failed).avoidNode, null);
  assert.strictEqual(judge(configure({ avoidNodeSeconds: 60 }), failed).avoidNode.seconds, 60);
});

test('parameters', () => {
  assert.strictEqual(judge(configure({ exitCode: 7 }), { containers: [ended('a', 7)] }).code, 7);
  assert.strictEqual(judge(configure({ delaySeconds: 30 }), { containers: [ended('a', 42)] }).delaySeconds, 30);
  assert.ok(!('delaySeconds' in judge(configure({}), { containers: [ended('a', 42)] })));
  assert.throws(() => configure({ delaySeconds: -1 }), /delaySeconds/);
  assert.strictEqual(judge(configure({ restart: 'Role' }), { containers: [ended('a', 42)] }).restart, 'RESTART_SCOPE_ROLE');
  assert.ok(!('restart' in judge(configure({}), { containers: [ended('a', 42)] })));
  assert.throws(() => configure({ restart: 'Pod' }), /restart/);
  assert.throws(() => configure({ exitCode: '42' }), /exitCode/);
  assert.throws(() => configure({ exitCode: 200 }), /exitCode/);
  assert.throws(() => configure({ avoidNodeSeconds: -1 }), /avoidNodeSeconds/);
  assert.throws(() => configure({ exitcode: 42 }), /exitcode: there is no such parameter/);
});
