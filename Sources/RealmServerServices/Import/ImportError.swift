// SPDX-License-Identifier: Apache-2.0

// Why an import ends.

#if Server
/// The end of an import, in sentences for its operator.
package struct ImportError: Error, Hashable, Sendable, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }

  /// The damage of a file of data.
  ///
  /// - Parameters:
  ///   - offset: In the content of the file, after it was decompressed.
  ///   - collection: The one whose documents are there; nil if it is not known.
  static func damage(
    _ path: String, at offset: Int, of collection: DumpNamespace? = nil, _ problem: String,
    remedy: String = "Make the dump again, or copy it again from where it was made."
  ) -> ImportError {
    let place = collection.map { " in the collection \($0)" } ?? ""
    return ImportError("\(path) is damaged at byte \(offset)\(place): \(problem). \(remedy)")
  }
}
#endif
