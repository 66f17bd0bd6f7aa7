// What this plugin decides. It needs nothing of gRPC, so it is tested without.
'use strict';

// configure checks the parameters that the configuration gives, and returns what judge goes by. An error that it throws
// is shown to who runs the controller.
function configure(parameters) {
  const { exitCode = 42, delaySeconds, restart, avoidNodeSeconds = 0, ...unknown } = parameters;
  for (const name of Object.keys(unknown)) {
    throw new Error(`${name}: there is no such parameter`);
  }
  if (!Number.isInteger(exitCode) || exitCode < 1 || exitCode > 199) {
    throw new Error(`exitCode: has to be from 1 to 199, but is ${JSON.stringify(exitCode)}`);
  }
  if (delaySeconds !== undefined && (!Number.isInteger(delaySeconds) || delaySeconds < 0 || delaySeconds > 86400)) {
    throw new Error(`delaySeconds: has to be from 0 to 86400, but is ${JSON.stringify(delaySeconds)}`);
  }
  if (restart !== undefined && !['Task', 'Role', 'Framework'].includes(restart)) {
    throw new Error(`restart: has to be Task, Role or Framework, but is ${JSON.stringify(restart)}`);
  }
  if (!Number.isInteger(avoidNodeSeconds) || avoidNodeSeconds < 0 || avoidNodeSeconds > 7 * 24 * 60 * 60) {
    throw new Error(`avoidNodeSeconds: has to be from 0 to a week, but is ${JSON.stringify(avoidNodeSeconds)}`);
  }
  return { exitCode, delaySeconds, restart, avoidNodeSeconds };
}

// judge returns the verdict on a failed Pod, or null for no opinion: the next plugin is asked, finally the built-in rules.
function judge(settings, pod) {
  const failed = lastFailed(pod.containers);
  if (!failed || failed.terminated.exitCode !== settings.exitCode) {
    return null;
  }
  return {
    code: settings.exitCode,
    phrase: 'LicenseServerBusy',
    type: { name: 'Failed', attributes: ['Transient'] },
    diagnostics: `container ${failed.name} ended with exit code ${settings.exitCode}`,
    rule: `exit code ${settings.exitCode}`,
    // Seconds before the retry, and which Tasks start again together; left out, the retry policy says. In place of both there is
    // giveUpAttempt.
    ...(settings.delaySeconds !== undefined && { delaySeconds: settings.delaySeconds }),
    ...(settings.restart !== undefined && { restart: `RESTART_SCOPE_${settings.restart.toUpperCase()}` }),
    // Later Pods of the Framework prefer other nodes; null has them go anywhere.
    avoidNode: settings.avoidNodeSeconds > 0 ? { seconds: settings.avoidNodeSeconds, reason: 'the license server was busy there' } : null,
  };
}

// judgePending returns the verdict on a Pod that has not failed, but does not get to run, of a Framework with a startDeadline:
// what judge returns, or { waitSeconds } if it may take longer, or null, and the deadline decides. A plugin without this function
// is never asked about such Pods.
function judgePending(settings, pod) {
  const { kind, message } = pod.pending;
  if (kind !== 'ImagePull') {
    return null;
  }
  if (message.includes('not found')) {
    return { code: 1000, phrase: 'ImageNotFound', type: { name: 'Failed', attributes: ['Permanent'] }, diagnostics: message, rule: 'image not found' };
  }
  return message.includes('toomanyrequests') && pendingFor(pod.pending) < 3600 ? { waitSeconds: 300 } : null;
}

// pendingFor returns for how many seconds a Pod has been like this, as the question says.
function pendingFor({ since, now }) {
  return since && now ? Number(now.seconds) - Number(since.seconds) : 0;
}

// lastFailed returns the container whose exit code counts for the built-in rules too: the one that failed last, of several
// at the same time the first in the list, and a sidecar only if no other container failed, as sidecars are stopped once
// the others have ended.
function lastFailed(containers) {
  const failed = containers.filter((c) => c.terminated && c.terminated.exitCode !== 0);
  const others = failed.filter((c) => !c.sidecar);
  const suspects = others.length > 0 ? others : failed;
  return suspects.reduce((last, c) => (last && !endedAfter(c, last) ? last : c), undefined);
}

// endedAfter compares times as they are in messages: seconds as a string, and nanoseconds.
function endedAfter(a, b) {
  const [x, y] = [a.terminated.finishedAt, b.terminated.finishedAt];
  if (!x || !y) {
    return Boolean(x) && !y;
  }
  return (Number(x.seconds) - Number(y.seconds) || x.nanos - y.nanos) > 0;
}

module.exports = { configure, judge, judgePending };
