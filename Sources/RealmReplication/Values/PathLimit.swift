// SPDX-License-Identifier: Apache-2.0

// How long paths may be.

/// The limit of the paths of instructions.
package enum PathLimit {
  /// The most steps of a path below its property. Objects embedded in each other are deleted
  /// recursively, so their depth must have a limit.
  package static let stepCountMax = 256
}
