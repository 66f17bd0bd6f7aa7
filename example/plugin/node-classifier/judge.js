// What this plugin decides. It needs nothing of gRPC, so it is tested without.
'use strict';

// configure checks the parameters that the configuration gives, and returns what judge goes by. An error that it throws
// is shown to who runs the controller.
function configure(parameters) {
  const { exitCode = 42, ...unknown } = parameters;
  for (const name of Object.keys(unknown)) {
    throw new Error(`${name}: there is no such parameter`);
  }
  if (!Number.isInteger(exitCode) || exitCode < 1 || exitCode > 199) {
    throw new Error(`exitCode: has to be from 1 to 199, but is ${JSON.stringify(exitCode)}`);
  }
  return { exitCode };
}

// judge returns the verdict on a failed Pod, or null for no opinion: the next plugin is asked, finally the built-in rules.
function judge(settings, pod) {
  const failed = pod.containers.find((c) => c.terminated && c.terminated.exitCode !== 0);
  if (!failed || failed.terminated.exitCode !== settings.exitCode) {
    return null;
  }
  return {
    code: settings.exitCode,
    phrase: 'LicenseServerBusy',
    type: { name: 'Failed', attributes: ['Transient'] },
    diagnostics: `container ${failed.name} ended with exit code ${settings.exitCode}`,
    rule: `exit code ${settings.exitCode}`,
  };
}

module.exports = { configure, judge };
