// SPDX-License-Identifier: Apache-2.0

// The root class of sessions and their stand-ins, which managed objects keep alive.

/// The owner that an object read from a file keeps alive: its session, or a stand-in for one.
open class SessionOwner {
  public init() {}
}
