// SPDX-License-Identifier: Apache-2.0

// Which folder a path names: another one may have come in its place.

#if Server
import Foundation

/// A folder of the file system, whatever its path is.
struct FolderIdentity: Hashable, Sendable {
  private let system: Int
  private let number: Int

  /// The folder at a path; nil if there is none.
  init?(_ path: String) {
    guard let attributes = try? FileManager.default.attributesOfItem(atPath: path),
      let system = attributes[.systemNumber] as? Int,
      let number = attributes[.systemFileNumber] as? Int
    else { return nil }
    (self.system, self.number) = (system, number)
  }
}
#endif
