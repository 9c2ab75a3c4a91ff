// SPDX-License-Identifier: Apache-2.0

// What the system says of a process.

#if Server
import Foundation

/// The time and memory of processes.
enum ProcessUse {
  /// The processor time that a process has had.
  static func processorTime(of process: Int32) throws -> Duration {
    let text = try String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
    // The name of the program may have spaces, and is in brackets.
    let fields = text[(text.lastIndex(of: ")") ?? text.startIndex)...].split(separator: " ")
    guard fields.count > 12, let user = Int(fields[11]), let system = Int(fields[12])
    else { throw unknown("processor time") }
    return .seconds(Double(user + system) / Double(sysconf(Int32(_SC_CLK_TCK))))
  }

  /// The memory that a process alone holds and that no file has.
  static func anonymousByteCount(of process: Int32) throws -> Int {
    let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
    for line in status.split(separator: "\n") where line.hasPrefix("RssAnon:") {
      if let count = Int(line.filter { $0.isNumber }) { return count << 10 }
    }
    throw unknown("memory")
  }

  /// The bytes that the files of a folder take on the disk.
  static func diskByteCount(ofFolder path: String) -> Int {
    let keys: Set<URLResourceKey> = [.totalFileAllocatedSizeKey]
    let files = FileManager.default.enumerator(
      at: URL(fileURLWithPath: path), includingPropertiesForKeys: Array(keys))
    var count = 0
    while let file = files?.nextObject() as? URL {
      count += (try? file.resourceValues(forKeys: keys).totalFileAllocatedSize) ?? 0
    }
    return count
  }

  private static func unknown(_ what: String) -> MeasuredServer.Failure {
    MeasuredServer.Failure(description: "the system does not say the \(what) of a process")
  }
}
#endif
