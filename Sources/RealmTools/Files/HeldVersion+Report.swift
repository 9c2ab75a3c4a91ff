// SPDX-License-Identifier: Apache-2.0

// Versions in use, for people and programs.

#if Tools
package import RealmFormats
package import RealmStorage

extension HeldVersion {
  /// The version for programs: who keeps it, and for how long.
  package func json(newest: UInt64) -> JSONValue {
    [
      "version": .integer(Int64(clamping: version)),
      "newerVersions": .integer(Int64(clamping: newest - min(version, newest))),
      "readers": JSONValue(readerCount),
      "processes": .array(processes.map { JSONValue(Int($0)) }),
      "holders": .array(
        holders.map { holder in
          [
            "process": JSONValue(Int(holder.process)),
            "thread": .integer(Int64(clamping: holder.thread)),
            "call": .string(holder.use.call),
            "seconds": .integer(Int64(holder.heldNanoseconds / 1_000_000_000)),
          ]
        }),
    ]
  }

  /// Who keeps the version, a line for each; for the processes alone where no more is known.
  package var holderTexts: [String] {
    guard !holders.isEmpty else {
      let list = processes.map(String.init).joined(separator: ", ")
      return ["process \(list.isEmpty ? "unknown" : list)"]
    }
    return holders.map { holder in
      "process \(holder.process), thread \(holder.thread): \(holder.use.call), "
        + "\(holder.heldNanoseconds / 1_000_000_000) s ago"
    }
  }
}
#endif
