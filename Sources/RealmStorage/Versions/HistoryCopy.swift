// SPDX-License-Identifier: Apache-2.0

// The choice of what a copy takes along (`CopiedHistory`).

/// What a copy takes along of the history of a synchronised file.
package enum HistoryCopy: Sendable {
  /// Nothing: the copy is a local file.
  case none
  /// Everything: the copy takes the place of the original.
  case whole
  /// The download cursor, so that the copy can begin to be synchronised as a file of its own.
  case forAnotherDevice
}
