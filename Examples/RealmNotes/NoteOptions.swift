// SPDX-License-Identifier: Apache-2.0

// The command line of the service.
//
// The service has no accounts: all who reach its port read and write the notes. So it listens on
// the loopback address, unless the command line names another.

#if Tools
/// What the command line says: the file, the port, and the address to listen on.
struct NoteOptions: Hashable {
  static let loopback = "127.0.0.1"
  static let usage = """
    usage: realm-notes FILE PORT [HOST]
      HOST  the address to listen on; \(loopback) (this machine alone) if none is given,
            0.0.0.0 for all addresses of the machine
    """

  let path: String
  let port: Int
  let host: String

  /// Reads the arguments after the program's name; nil if they make no sense.
  init?(_ arguments: some Collection<String>) {
    let arguments = Array(arguments)
    guard (2...3).contains(arguments.count), let port = Int(arguments[1]),
      (0...65_535).contains(port), !arguments.contains("")
    else { return nil }
    path = arguments[0]
    self.port = port
    host = arguments.count == 3 ? arguments[2] : Self.loopback
  }
}
#endif
