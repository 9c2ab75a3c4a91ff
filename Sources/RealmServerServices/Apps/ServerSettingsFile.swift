// SPDX-License-Identifier: Apache-2.0

// The file `server.json` of a server's folder: what concerns the server, and no single app.

#if Server
import RealmFormats
package import RealmServerEngine

/// The settings of a server that its folder has.
package struct ServerSettingsFile: Hashable, Sendable {
  /// Nil if the server makes no backups by itself.
  package var backups: BackupSettings?

  /// The settings of a folder without the file.
  package init() {}

  /// Reads the file, strictly.
  package init(_ bytes: [UInt8]) throws(AppFileError) {
    backups = try AppFileError.reading(bytes) { (json) throws(AppFileError) in
      let support = AppFileSupport()
      let file = try ObjectReader(json, "the file", at: [], keys: ["backups"], support)
      return try file["backups"].map { (value) throws(AppFileError) in
        try BackupSettings(
          ObjectReader(
            value, "backups", at: [.key("backups")], keys: BackupSettings.keys, support))
      }
    }
  }
}

/// Where a server makes its backups, when, and how many it keeps.
package struct BackupSettings: Hashable, Sendable {
  static let keys: Set<String> = ["folder", "schedule", "keep"]
  private static let keptCounts: ClosedRange<Int64> = 1...10_000

  /// The folder of the backups, from that of the server on.
  package let folder: String
  /// In UTC.
  package let schedule: CronSchedule
  package let keptCount: Int

  init(_ reader: ObjectReader) throws(AppFileError) {
    guard let folder = try reader.text("folder") else { throw reader.missing("folder") }
    self.folder = folder
    let text = try reader.text("schedule") ?? "0 3 * * *"
    do throws(CronError) {
      schedule = try CronSchedule(text)
    } catch {
      throw reader.error("schedule", "has a \"schedule\" that is none: \(error)")
    }
    guard let kept = reader["keep"] else {
      keptCount = 14
      return
    }
    guard let count = kept.integer, Self.keptCounts.contains(count) else {
      throw reader.error(
        "keep",
        "has a \"keep\" that is no number from \(Self.keptCounts.lowerBound) to "
          + "\(Self.keptCounts.upperBound)")
    }
    keptCount = Int(count)
  }
}
#endif
