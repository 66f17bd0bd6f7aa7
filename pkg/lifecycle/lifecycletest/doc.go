// Package lifecycletest
package lifecycletest
