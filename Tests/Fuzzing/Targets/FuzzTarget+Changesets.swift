// SPDX-License-Identifier: Apache-2.0

// Changesets of devices and servers: read, merged, carried out; and the log of changes in files.

#if Tools && Server
import RealmReplication
import RealmStorage
import RealmSyncProtocol
import RealmTables
import RealmTestSupport

extension FuzzTarget {
  private static let instructionCountMax = 2_000
  private static let changesetByteCountMax = 2_048

  /// Reads a changeset, and carries it out on a file with objects.
  static let changeset = FuzzTarget(
    name: "changeset", byteCountMax: changesetByteCountMax,
    run: { input, _ in
      guard let first = input.first else { return .refused }
      let changeset: Changeset
      do throws(ChangesetError) {
        changeset = try ChangesetParser.parse(
          Array(input.dropFirst()), instructionCountMax: instructionCountMax)
      } catch { return .refused }
      try requireSame(changeset)
      return try SampleFile.shared.get().trial { group in
        var applier = InstructionApplier(
          group, policy: first & 1 == 0 ? .strict : .recovering,
          limits: ApplyLimits(propertyCountMax: 300, classCountMax: 50, work: 200_000_000))
        do throws(ApplyError) { try applier.apply(changeset) } catch {
          guard case .badChangeset = error else { throw error }
          return .refused
        }
        // What was written can be read.
        let tables = try group.tableKeys().compactMap { try group.table($0)?.table }
        _ = try ContentDump(tables).json()
        return .read
      }
    },
    seeds: { _ in try SampleFile.shared.get().changesets(60, seed: 11).map { [0] + $0 } })

  /// Its bytes, written again, are the same changeset.
  private static func requireSame(_ changeset: Changeset) throws {
    let again = try ChangesetParser.parse(ChangesetEncoder.encode(changeset))
    let lines = changeset.instructions.map(changeset.line)
    guard again.instructions.map(again.line) == lines else {
      throw Finding("written and read again, a changeset is another one: \(lines)")
    }
  }

  /// Merges two concurrent changesets. The first two bytes are the length of one of them.
  static let merge = FuzzTarget(
    name: "merge", byteCountMax: changesetByteCountMax,
    run: { input, _ in
      guard input.count > 2 else { return .refused }
      let rest = input.dropFirst(2)
      let parts = [
        rest.prefix(Int(input[0]) | Int(input[1]) << 8),
        rest.dropFirst(Int(input[0]) | Int(input[1]) << 8),
      ]
      var sides: [[Changeset]] = []
      do throws(ChangesetError) {
        for (number, part) in parts.enumerated() {
          let origin = ChangesetOrigin(
            file: FileIdentifier(UInt64(2 + number)),
            timestamp: OriginTimestamp(milliseconds: UInt64(5 + number)))
          sides.append([
            try ChangesetParser.parse(
              Array(part), origin: origin, instructionCountMax: instructionCountMax)
          ])
        }
      } catch { return .refused }
      let indexed = try merged(sides, usesIndex: true)
      guard try indexed == merged(sides, usesIndex: false) else {
        throw Finding("the index changes the result of a merge")
      }
      return indexed.isEmpty ? .refused : .read
    },
    seeds: { _ in
      let file = try SampleFile.shared.get()
      let (left, right) = (
        try file.changesets(40, seed: 21), try file.changesets(40, seed: 22)
      )
      return zip(left, right).map { left, right in
        [UInt8(truncatingIfNeeded: left.count), UInt8(left.count >> 8)] + left + right
      }
    })

  /// The lines of both sides after their merge; none if they contradict each other.
  private static func merged(_ sides: [[Changeset]], usesIndex: Bool) throws -> [String] {
    var (local, incoming) = (sides[0], sides[1])
    var transformer = Transformer(usesIndex: usesIndex)
    do throws(MergeError) {
      _ = try transformer.merge(
        local: &local, incoming: &incoming, ownIdent: FileIdentifier(2))
    } catch { return [] }
    return try (local + incoming).flatMap { changeset in
      try requireSame(changeset)
      return changeset.instructions.map(changeset.line)
    }
  }

  /// Reads the log of what transactions changed, as observers do.
  static let changeLog = FuzzTarget(
    name: "changelog", byteCountMax: changesetByteCountMax,
    run: { input, _ in
      guard let first = input.first else { return .refused }
      let rest = input.dropFirst()
      let parts = [Array(rest.prefix(Int(first))), Array(rest.dropFirst(Int(first)))]
      do throws(StorageError) {
        let changes = try ChangeLogParser.changes(in: parts)
        for table in changes.tables {
          for key in table.modifications.keys { _ = table.modifiedColumns(of: key) }
          for (_, list) in table.collections { _ = list.edits.count }
        }
        return .read
      } catch { return .refused }
    },
    seeds: { _ in
      let file = try SampleFile.shared.get()
      var writer = RandomWriter(seed: 31, writesInTurn: true)
      return try (0..<40).map { _ in
        try file.trial { group in
          try writer.write(group)
          return [UInt8(255)] + group.log.changeset
        }
      }
    })
}
#endif
