// SPDX-License-Identifier: Apache-2.0

// A disk of 200 KiB, which no other process sees.

#if Tools && os(Linux)
import Foundation

/// A disk in memory that is mounted in a namespace of its own.
enum SmallDisk {
  /// The options of `unshare` with which a disk can be mounted; nil if the system allows none.
  private static let options: [String]? = {
    [["--mount"], ["--map-root-user", "--mount"]].first { options in
      let folder = FileManager.default.temporaryDirectory
        .appendingPathComponent("realm-disk-\(UUID().uuidString)")
      try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      let process = try? ToolProcess(
        unshare, options + ["mount", "-t", "tmpfs", "-o", "size=200k", "realm", folder.path])
      return process?.status == 0
    }
  }()

  private static let unshare = URL(fileURLWithPath: "/usr/bin/unshare")

  static let isAvailable = options != nil

  /// Lists what is on the disk at the end, and checks the realms that are there.
  private static let script = """
    mount -t tmpfs -o size=200k realm "$DISK" || exit 99
    eval "$PREPARE"
    "$0" "$@"
    code=$?
    for file in "$DISK"/*.realm; do
      if [ -f "$file" ]; then "$0" check "$file" >/dev/null || exit 98; fi
    done
    echo
    ls -A "$DISK" | sed 's/^/left: /'
    exit $code
    """

  /// Runs `realm` beside a small disk at `folder`.
  ///
  /// - Parameter prepare: What the shell does before.
  /// - Returns: The process, and the files on the disk after it.
  static func run(
    at folder: String, prepare: String, _ arguments: [String]
  ) throws -> (process: ToolProcess, left: [String]) {
    let process = try ToolProcess(
      unshare, (options ?? []) + ["sh", "-c", script, ToolProcess.program.path] + arguments,
      environment: ["DISK": folder, "PREPARE": prepare])
    let left = process.output.split(separator: "\n").filter { $0.hasPrefix("left: ") }
    return (process, left.map { String($0.dropFirst(6)) })
  }
}
#endif
