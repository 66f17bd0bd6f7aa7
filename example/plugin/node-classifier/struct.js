// Parameters come as google.protobuf.Struct, which is JSON with the type of each value spelt out.
'use strict';

// plain returns the object that a Struct stands for; {} if there is none.
function plain(struct) {
  const fields = Object.entries((struct && struct.fields) || {});
  return Object.fromEntries(fields.map(([name, value]) => [name, plainValue(value)]));
}

function plainValue(value) {
  switch (value.kind) {
    case 'structValue':
      return plain(value.structValue);
    case 'listValue':
      return value.listValue.values.map(plainValue);
    case 'numberValue':
    case 'stringValue':
    case 'boolValue':
      return value[value.kind];
    default:
      return null;
  }
}

module.exports = { plain };
