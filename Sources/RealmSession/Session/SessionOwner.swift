// SPDX-License-Identifier: Apache-2.0

// The root class of what managed objects keep alive.

/// What an object that was read from a file keeps alive: its session, or a stand-in for one.
open class SessionOwner {
  public init() {}
}
