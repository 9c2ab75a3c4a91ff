// SPDX-License-Identifier: Apache-2.0

// How long paths may be.

/// The limit of the paths of instructions.
package enum PathLimit {
  /// The steps that a path may have below its property. Objects that are embedded in each other are
  /// deleted recursively, so their depth must have a limit.
  package static let stepCountMax = 256
}
