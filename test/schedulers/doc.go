// Package schedulers tests on a real API server that what the shipped plugins for scheduler hints want to be made is accepted
// by the real CRDs of the schedulers. Those are not part of the project: FC_CRDS names the folder that has them, by default
// shared/crds beside the checkout. Where there is none, the tests are skipped. The first run builds an API server and takes
// some minutes; -short skips it all.
package schedulers
