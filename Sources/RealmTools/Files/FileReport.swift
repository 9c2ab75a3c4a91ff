// SPDX-License-Identifier: Apache-2.0

// The facts of `realm info`.

#if Tools
package import RealmFormats
import RealmQuery
package import RealmStorage
package import RealmTables

/// The facts about a realm file.
package struct FileReport: Sendable {
  /// A class and how many objects it has.
  package struct ClassCount: Sendable {
    package let name: String
    package let kind: TableKind
    package let count: Int
    package let propertyCount: Int
  }

  package let path: String
  package let format: Int
  /// Whether the file need not be upgraded before it can be written.
  package let isCurrentFormat: Bool
  package let isEncrypted: Bool
  package let version: UInt64
  package let schemaVersion: UInt64?
  package let historyType: Int
  package let byteCount: Int
  /// Nil for older formats, whose classes are read in an upgraded copy.
  package let usedByteCount: Int?
  package let classes: [ClassCount]
  /// The versions in use by other processes; nil if no other process has the file open.
  package let liveVersions: [UInt64]?
  /// The same versions with who keeps them, where that is known; empty if there are none.
  package let heldVersions: [HeldVersion]
  /// The bytes that no commit can use before older versions are released.
  package let pinnedByteCount: Int

  package var freeByteCount: Int? { usedByteCount.map { max(byteCount - $0, 0) } }

  package init(path: String, key: EncryptionKey? = nil) throws {
    self.path = path
    isEncrypted = key != nil
    let inspected: DatabaseFile
    do throws(StorageError) {
      inspected = try DatabaseFile.openForInspection(path: path, key: key)
    } catch { throw ToolFailure(error) }
    format = inspected.formatVersion == 0 ? FileHeader.supportedVersion : inspected.formatVersion
    isCurrentFormat = format == FileHeader.supportedVersion
    byteCount = try inspected.fileByteCount()
    let reader = try RealmReader(path: path, key: key)
    // This process reads a version too: its own pin is not of interest.
    let group = reader.group
    let pinned = reader.file.pinnedVersions
    schemaVersion = try group.schemaVersion()
    let top = try (reader.isUpgraded ? inspected.snapshot() : group.snapshot).top()
    (version, historyType) = (top.version, top.historyType)
    usedByteCount = reader.isUpgraded ? nil : try reader.file.byteCounts().used
    liveVersions = reader.isShared ? pinned : nil
    heldVersions = reader.isShared ? reader.file.heldVersions : []
    pinnedByteCount = reader.isShared ? try reader.file.statistics().pinnedByteCount : 0
    classes = try reader.reading { group in
      try StoredSchema(group).all.map { schema in
        ClassCount(
          name: schema.displayName, kind: schema.kind,
          count: try group.table(schema.key)?.objectCount() ?? 0,
          propertyCount: schema.columns.count)
      }
    }
  }

  /// Who keeps which version, a line for each.
  package var holderLines: [(version: UInt64, holder: String)] {
    heldVersions.flatMap { held in held.holderTexts.map { (held.version, $0) } }
  }

  /// Whether an app synchronises the file.
  package var isSynchronised: Bool { historyType == 3 }

  /// The purpose of the file's history.
  package var historyText: String {
    switch historyType {
    case 0, 2: "local"
    case 3: "synchronised (client)"
    case 4: "synchronised (server)"
    default: "type \(historyType)"
    }
  }

  /// The report for programs.
  package var json: JSONValue {
    [
      "path": .string(path), "format": .integer(Int64(format)), "encrypted": .bool(isEncrypted),
      "version": .integer(Int64(clamping: version)),
      "schemaVersion": schemaVersion.map { .integer(Int64(clamping: $0)) } ?? .null,
      "history": .string(historyText), "bytes": .integer(Int64(byteCount)),
      "usedBytes": JSONValue(usedByteCount),
      "freeBytes": JSONValue(freeByteCount),
      "pinnedBytes": JSONValue(pinnedByteCount),
      "openElsewhere": .bool(liveVersions != nil),
      "liveVersions": .array((liveVersions ?? []).map { .integer(Int64(clamping: $0)) }),
      "pinnedVersions": .array(heldVersions.map { $0.json(newest: version) }),
      "classes": .array(
        classes.map {
          [
            "name": .string($0.name), "kind": .string("\($0.kind)"),
            "objects": .integer(Int64($0.count)), "properties": .integer(Int64($0.propertyCount)),
          ]
        }),
    ]
  }
}
#endif
