// The certificate by which the controller knows that it talks to the process that it has started.
'use strict';

const crypto = require('node:crypto');
const forge = require('node-forge');

const DAY = 24 * 60 * 60 * 1000;

// selfSigned makes a key and a certificate for it, which live as long as the process. Node's own crypto makes the key,
// but cannot make certificates.
function selfSigned() {
  const key = crypto.generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs1', format: 'pem' });
  const privateKey = forge.pki.privateKeyFromPem(key);
  const certificate = forge.pki.createCertificate();
  certificate.publicKey = forge.pki.setRsaPublicKey(privateKey.n, privateKey.e);
  certificate.serialNumber = '01' + crypto.randomBytes(15).toString('hex');
  // The clock of the controller is ours; the margin is for one that is set back. A plugin may run for years.
  certificate.validity.notBefore = new Date(Date.now() - DAY);
  certificate.validity.notAfter = new Date(Date.now() + 30 * 365 * DAY);
  const name = [{ name: 'commonName', value: 'localhost' }];
  certificate.setSubject(name);
  certificate.setIssuer(name);
  certificate.setExtensions([
    { name: 'basicConstraints', cA: true, critical: true },
    { name: 'keyUsage', digitalSignature: true, keyEncipherment: true, keyCertSign: true, critical: true },
    { name: 'extKeyUsage', serverAuth: true },
    { name: 'subjectAltName', altNames: [{ type: 2, value: 'localhost' }] }, // the name that the controller asks for
  ]);
  certificate.sign(privateKey, forge.md.sha256.create());
  const der = forge.asn1.toDer(forge.pki.certificateToAsn1(certificate)).getBytes();
  return {
    key: Buffer.from(key),
    certificate: Buffer.from(forge.pki.certificateToPem(certificate)),
    der: Buffer.from(der, 'binary'),
  };
}

module.exports = { selfSigned };
