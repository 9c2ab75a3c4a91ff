// SPDX-License-Identifier: Apache-2.0

// Whether a file is whole: `realm check`.

#if Tools
package import RealmFormats
import RealmQuery
package import RealmStorage
import RealmTables

/// The findings of the integrity check of a file.
package struct IntegrityReport: Sendable {
  package let path: String
  package let version: UInt64
  package let objectCount: Int
  package let findings: [CheckFinding]
  package let checksums: ChecksumCounts

  /// Checks everything about the newest version.
  package init(path: String, key: EncryptionKey? = nil) throws {
    self.path = path
    let reader: RealmReader
    do throws(ToolFailure) {
      reader = try RealmReader(path: path, key: key)
    } catch {
      // Damage that prevents opening is a finding like any other.
      guard error.status == .badData, case let storage? = Self.damage(path, key) else {
        throw error
      }
      (version, objectCount) = (0, 0)
      findings = [CheckFinding(check: 1, storage)]
      checksums = ChecksumCounts()
      return
    }
    version = reader.version
    (findings, checksums) = try reader.reading { try DatabaseCheck.report($0.snapshot) }
    objectCount = Self.objectCount(reader.group)
  }

  private static func damage(_ path: String, _ key: EncryptionKey?) -> String? {
    do throws(StorageError) {
      _ = try TableGroup(try DatabaseFile.openForReading(path: path, key: key).file.snapshot())
      return nil
    } catch {
      if case .corrupted(let reason) = error { return reason }
      return nil
    }
  }

  private static func objectCount(_ group: TableGroup) -> Int {
    guard let classes = try? StoredSchema(group) else { return 0 }
    return classes.all.reduce(0) { $0 + ((try? group.table($1.key)?.objectCount()) ?? 0) }
  }

  /// The findings as lines, at most `limit` of each number and severity, and after the last of
  /// these how many more there are.
  package func findings(
    ofEachKind limit: Int
  ) -> [(text: String, severity: CheckFinding.Severity)] {
    struct Kind: Hashable {
      let check: Int
      let severity: CheckFinding.Severity
    }
    let totals = Dictionary(
      findings.map { (Kind(check: $0.check, severity: $0.severity), 1) }, uniquingKeysWith: +)
    var counts: [Kind: Int] = [:]
    var lines: [(text: String, severity: CheckFinding.Severity)] = []
    for finding in findings {
      let kind = Kind(check: finding.check, severity: finding.severity)
      let count = (counts[kind] ?? 0) + 1
      counts[kind] = count
      guard count <= limit else { continue }
      lines.append(("\(finding)", finding.severity))
      if count == limit, let total = totals[kind], total > limit {
        lines.append(("\(finding.severity) \(finding.check): \(total - limit) more", kind.severity))
      }
    }
    return lines
  }

  /// Whether the file contradicts its format.
  package var isDamaged: Bool { findings.contains { $0.severity == .error } }

  /// The advice for the findings; nil if there are none.
  package var advice: String? {
    if isDamaged {
      return "The file is damaged. Keep it, restore a backup if there is one, or save what can be "
        + "read: realm salvage \(path) OUT"
    }
    return findings.isEmpty
      ? nil : "The file is usable; 'realm compact \(path)' writes it without the oddities."
  }

  /// How many nodes have checksums, as a line; nil where there are no nodes.
  package var checksumText: String? {
    guard checksums != ChecksumCounts() else { return nil }
    let verified = "\(TextTable.count(checksums.verified, "checksum")) verified"
    return checksums.missing == 0
      ? verified : "\(verified), \(TextTable.count(checksums.missing, "node")) without checksum"
  }

  /// The report for programs.
  package var json: JSONValue {
    [
      "path": .string(path), "version": .integer(Int64(clamping: version)),
      "objects": .integer(Int64(objectCount)), "damaged": .bool(isDamaged),
      "checksums": [
        "verified": .integer(Int64(checksums.verified)),
        "missing": .integer(Int64(checksums.missing)),
      ],
      "findings": .array(
        findings.map {
          [
            "check": .integer(Int64($0.check)), "severity": .string("\($0.severity)"),
            "class": JSONValue($0.objectType), "property": JSONValue($0.property),
            "object": $0.objectKey.map { .integer($0) } ?? .null,
            "byte": JSONValue($0.byteOffset), "message": .string($0.message),
          ]
        }),
    ]
  }
}
#endif
