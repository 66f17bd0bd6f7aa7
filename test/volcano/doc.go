// Package volcano tests on a real API server that what hints-volcano wants to be made is accepted by Volcano's own CRD, every
// field of it. What Volcano does with it, package standin plays.
package volcano
