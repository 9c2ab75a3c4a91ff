// SPDX-License-Identifier: Apache-2.0

// The files of this machine, for imports.

#if Server
import Foundation
import RealmServerEngine
import RealmServerServices
import RealmServerKit

/// Reads files and folders of the machine.
struct DiskFiles: ImportFiles {
  private static let smallByteCountMax = 64 << 20

  func entries(of folder: String) -> [ImportEntry]? {
    guard let facts = Self.facts(folder), facts.isFolder,
      let names = try? FileManager.default.contentsOfDirectory(atPath: folder)
    else { return nil }
    return names.sorted().compactMap { name in
      Self.facts("\(folder)/\(name)").map {
        ImportEntry(name, isFolder: $0.isFolder, byteCount: $0.byteCount)
      }
    }
  }

  /// What a path leads to; nil if there is nothing.
  private static func facts(_ path: String) -> (isFolder: Bool, byteCount: Int)? {
    let path = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    guard let attributes = try? FileManager.default.attributesOfItem(atPath: path) else {
      return nil
    }
    return (
      attributes[.type] as? FileAttributeType == .typeDirectory, attributes[.size] as? Int ?? 0
    )
  }

  func content(of path: String) throws(ImportError) -> [UInt8]? {
    guard let facts = Self.facts(path), !facts.isFolder else { return nil }
    guard facts.byteCount <= Self.smallByteCountMax,
      let data = FileManager.default.contents(atPath: path)
    else {
      throw ImportError("\(path) cannot be read. Change its permissions.")
    }
    return Array(data)
  }

  func open(_ path: String) throws(ImportError) -> any ImportInput {
    guard let facts = Self.facts(path), !facts.isFolder,
      let handle = FileHandle(forReadingAtPath: path)
    else { throw ImportError("There is no file \(path) to read. Check the path.") }
    return DiskInput(handle, path, byteCount: facts.byteCount)
  }
}

/// An open file of the machine.
private final class DiskInput: ImportInput {
  private static let blockByteCount = 1 << 20

  let byteCount: Int
  private let handle: FileHandle
  private let path: String

  init(_ handle: FileHandle, _ path: String, byteCount: Int) {
    self.handle = handle
    self.path = path
    self.byteCount = byteCount
  }

  func next() throws(ImportError) -> [UInt8] {
    do {
      return try handle.read(upToCount: Self.blockByteCount).map { Array($0) } ?? []
    } catch {
      throw ImportError("Reading \(path) failed: \(ServerFailure.text(error)).")
    }
  }
}
#endif
