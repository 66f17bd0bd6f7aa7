// A failure classifier: one exit code, 42 unless the configuration gives another, means that the failure is transient.
'use strict';

const { configure, judge, judgePending } = require('./judge');
const { serve } = require('./serve');

serve({ version: '1.2.0', configure, judge, judgePending });
