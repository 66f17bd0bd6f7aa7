// Package volcano tests on a real API server that what hints-volcano wants to be made is accepted by Volcano's own CRD. That
// is not part of the project: FC_CRDS names the folder that has it. Without it, the test is skipped. With the other schedulers,
// tests of their own run the real ones.
package volcano
