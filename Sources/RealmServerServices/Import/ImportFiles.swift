// SPDX-License-Identifier: Apache-2.0

// The files of an export and of a dump, wherever they are.

#if Server
/// An entry of a folder.
package struct ImportEntry: Hashable, Sendable {
  package let name: String
  package let isFolder: Bool
  package let byteCount: Int

  package init(_ name: String, isFolder: Bool = false, byteCount: Int = 0) {
    self.name = name
    self.isFolder = isFolder
    self.byteCount = byteCount
  }
}

/// Finds and opens files. Paths have steps with "/".
package protocol ImportFiles: Sendable {
  /// The entries of a folder, in the order of their names; nil if there is no such folder.
  func entries(of folder: String) -> [ImportEntry]?

  /// The content of a small file; nil if there is no such file.
  func content(of path: String) throws(ImportError) -> [UInt8]?

  /// Opens a file of any size.
  func open(_ path: String) throws(ImportError) -> any ImportInput
}

/// An open file, read once from its beginning.
package protocol ImportInput: AnyObject {
  var byteCount: Int { get }

  /// The next bytes; none at the end.
  func next() throws(ImportError) -> [UInt8]
}
#endif
