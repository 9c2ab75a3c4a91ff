// SPDX-License-Identifier: Apache-2.0

// The choice of what a copy takes along (`CopiedHistory`).

/// What a copy takes along of the history of a file.
package enum HistoryCopy: Sendable, Equatable {
  /// Nothing: the copy is a local file.
  case none
  /// Everything of a synchronised file, as the copy takes the place of the original; of a local
  /// one too, if that is requested.
  case whole(ofLocal: Bool)
  /// The download cursor, so that the copy can begin to be synchronised as a file of its own.
  case forAnotherDevice
}
