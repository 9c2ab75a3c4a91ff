// SPDX-License-Identifier: Apache-2.0

// How long work reports how far it is.

#if Tools
/// Called now and then with the finished and the whole work, in any unit.
package typealias ProgressHandler = (_ done: Int, _ total: Int) -> Void
#endif
