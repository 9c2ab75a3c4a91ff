// SPDX-License-Identifier: Apache-2.0

// Where a benchmark keeps its files.
//
// 1. The folder that a person names may hold anything. Nothing in it is written or deleted but one
//    new folder, whose name is unique.
// 2. A folder that the person named and that was not there goes, too, once it is empty.

package import Foundation

/// A folder of a benchmark's own inside of the one that was named for it.
package struct ScratchFolder: Sendable {
  /// The folder for the benchmark's files.
  package let url: URL
  /// The named folder, if it was made for the benchmark.
  private let made: URL?

  /// Makes a folder inside of the one at `path`, which is made if it is missing.
  package init(in path: String) throws {
    let files = FileManager.default
    let parent = URL(filePath: path)
    made = files.fileExists(atPath: parent.path) ? nil : parent
    url = parent.appending(path: "openrealm-benchmark-\(UUID().uuidString)")
    try files.createDirectory(at: url, withIntermediateDirectories: true)
  }

  /// Deletes the folder with the benchmark's files.
  package func remove() {
    try? FileManager.default.removeItem(at: url)
    // Refused by the system while anything is left in it.
    if let made { rmdir(made.path) }
  }
}
