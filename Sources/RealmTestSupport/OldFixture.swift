// SPDX-License-Identifier: Apache-2.0

// Fixtures: `.realm` files of older formats, which are kept outside of the package, with their
// contents.

import Foundation
package import RealmFormats
package import RealmStorage
import RealmTables

/// A file in an older format, written by an old Realm Core.
package struct OldFixture: Sendable, CustomStringConvertible {
  /// All files; none where the folder `shared/fixtures/old-formats` is not there.
  package static let all: [OldFixture] = {
    let folder = ReferenceReader.oldFixtures
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.filter { $0.hasSuffix(".realm") }.sorted().compactMap { name in
      guard let data = FileManager.default.contents(atPath: folder + "/" + name), data.count > 24
      else { return nil }
      return OldFixture(
        name: String(name.dropLast(6)), format: Int(data[data[23] & 1 == 0 ? 20 : 21]))
    }
  }()

  /// The files that can be upgraded.
  package static let upgradable = all.filter {
    FileHeader.upgradableVersions.contains($0.format)
  }

  package let name: String
  /// The format according to the header.
  package let format: Int

  package var description: String { "\(name) (\(format))" }

  package var path: String { "\(ReferenceReader.oldFixtures)/\(name).realm" }

  /// The bytes of the file.
  package func bytes() throws -> [UInt8] {
    Array(try Data(contentsOf: URL(fileURLWithPath: path)))
  }

  /// The contents that Realm Core reads in the file after it has upgraded a copy.
  package func expected() throws -> JSONValue {
    let url = URL(fileURLWithPath: "\(ReferenceReader.oldFixtures)/\(name).json")
    return try JSONParser.parse(Array(try Data(contentsOf: url)))
  }

  /// The bytes of the file, encrypted.
  package func encrypted(_ key: EncryptionKey) throws -> [UInt8] {
    var image = try bytes()
    // The footer of a stream is at the end of the last page.
    let isStream = image[..<8].allSatisfy { $0 == 0xFF }
    let gap = [UInt8](repeating: 0, count: -image.count & 4095)
    image.insert(contentsOf: gap, at: isStream ? image.count - 16 : image.count)
    let file = try MemoryFiles.makeFile(named: name)
    let target = try CopyTarget(file, key)
    try image.withUnsafeBytes { try target.write($0, at: 0) }
    try target.finish()
    var result = [UInt8](repeating: 0, count: try file.byteCount())
    _ = try result.withUnsafeMutableBytes { try file.read(into: $0, at: 0) }
    return result
  }
}

extension SimulatedFileSystem {
  /// Opens the database as a separate process would, upgrading it first if needed.
  package func openUpgradedDatabase(
    key: EncryptionKey? = nil, willUpgrade: (Int) -> Void = { _ in }
  ) throws(StorageError) -> DatabaseFile {
    try DatabaseFile.openUpgraded(
      path: file.path, options: OpenOptions(encryptionKey: key), system: self,
      registry: FileRegistry(), willUpgrade: willUpgrade)
  }
}
