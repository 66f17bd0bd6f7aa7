// What every plugin has to do, whatever it decides: handshake, encryption, services, end. The comments in
// proto/plugin.proto say what the controller expects.
'use strict';

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const grpc = require('@grpc/grpc-js');
const loader = require('@grpc/proto-loader');
const { selfSigned } = require('./certificate');
const { plain } = require('./struct');

const COOKIE = ['FRAMEWORKCONTROLLER_PLUGIN', 'frameworkcontroller.plugin.v1'];
const HANDSHAKE_VERSION = 1; // of hashicorp/go-plugin
const PROTOCOL_VERSION = 1; // of plugin.proto
const MAX_MESSAGE = 4 << 20;

// serve answers the controller until it ends this process.
//
//   version    of the plugin, such as '1.4.2'
//   configure  (parameters) => settings; throws if it cannot work with them
//   judge      (settings, pod) => verdict without uid, or null for no opinion
//   judgePending  the same for Pods that do not get to run; without it the plugin is not asked about them
function serve(plugin) {
  requireController();
  const own = selfSigned();
  const server = new grpc.Server({
    'grpc.max_receive_message_length': MAX_MESSAGE,
    'grpc.max_send_message_length': MAX_MESSAGE,
  });
  addServices(server, plugin);
  const socket = path.join(socketDirectory(), 'plugin.sock');
  server.bindAsync(`unix:${socket}`, credentials(own), (err) => {
    if (err) {
      log('error', 'cannot listen', { socket, error: err.message });
      process.exit(1);
    }
    const der = own.der.toString('base64').replace(/=+$/, '');
    process.stdout.write(`${HANDSHAKE_VERSION}|${PROTOCOL_VERSION}|unix|${socket}|grpc|${der}\n`);
  });
}

// requireController tells a user who starts the program by hand what it is.
function requireController() {
  const versions = (process.env.PLUGIN_PROTOCOL_VERSIONS || '').split(',');
  if (process.env[COOKIE[0]] !== COOKIE[1] || !process.env.PLUGIN_CLIENT_CERT) {
    process.stderr.write('This is a plugin of FrameworkController, which starts it by itself.\n');
    process.exit(1);
  }
  if (!versions.includes(String(PROTOCOL_VERSION))) {
    process.stderr.write(`The controller speaks none of the versions of this plugin: ${versions}, not ${PROTOCOL_VERSION}.\n`);
    process.exit(1);
  }
}

// credentials let in only the client whose certificate the controller has given.
function credentials(own) {
  const client = Buffer.from(process.env.PLUGIN_CLIENT_CERT);
  return grpc.ServerCredentials.createSsl(client, [{ private_key: own.key, cert_chain: own.certificate }], true);
}

// socketDirectory is new, so that nobody else has a file in it.
function socketDirectory() {
  const directory = fs.mkdtempSync(path.join(process.env.PLUGIN_UNIX_SOCKET_DIR || os.tmpdir(), 'plugin-'));
  process.on('exit', () => fs.rmSync(directory, { recursive: true, force: true }));
  return directory;
}

function addServices(server, plugin) {
  const api = load('plugin.proto').frameworkcontroller.plugin.v1;
  let settings;
  server.addService(api.Plugin.service, {
    // Asked before anything else.
    describe: answer((request) => {
      try {
        settings = plugin.configure(plain(request.parameters));
      } catch (err) {
        throw Object.assign(err, { code: grpc.status.INVALID_ARGUMENT });
      }
      // Made for minor version 1 of the contract, as its copy in proto/ says.
      return { version: plugin.version, judgesPending: Boolean(plugin.judgePending), minor: 1 };
    }),
  });
  server.addService(api.FailureClassifier.service, {
    classify: answer((request) => ({
      verdicts: request.pods.flatMap((pod) => {
        const verdict = pod.pending ? plugin.judgePending?.(settings, pod) : plugin.judge(settings, pod);
        return verdict ? [{ ...verdict, uid: pod.uid }] : [];
      }),
    })),
  });
  server.addService(load('health.proto').grpc.health.v1.Health.service, {
    check: answer(() => ({ status: 'SERVING' })),
  });
  server.addService(load('controller.proto').plugin.GRPCController.service, {
    shutdown: (_call, done) => {
      done(null, {});
      server.tryShutdown(() => process.exit(0));
      setTimeout(() => process.exit(0), 500); // the connection may stay open
    },
  });
}

function load(file) {
  const definition = loader.loadSync(path.join(__dirname, 'proto', file), { defaults: true, enums: String, longs: String, oneofs: true });
  return grpc.loadPackageDefinition(definition);
}

// answer makes a method of a function; what the function throws costs only this question.
function answer(find) {
  return (call, done) => {
    let result;
    try {
      result = find(call.request);
    } catch (err) {
      log('warn', 'question not answered', { error: err.message });
      done({ code: err.code ?? grpc.status.INTERNAL, details: err.message });
      return;
    }
    done(null, result);
  };
}

// log writes a line that joins the controller's log with its level and values. Stdout is for the handshake.
function log(level, message, values) {
  process.stderr.write(`${JSON.stringify({ '@level': level, '@message': message, ...values })}\n`);
}

module.exports = { serve };
