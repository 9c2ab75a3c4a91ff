// SPDX-License-Identifier: Apache-2.0

// The folder of a server.

#if Server
import Foundation
package import RealmServerEngine
package import RealmServerServices
import RealmStorage
import RealmFormats

/// The folder with the apps, their data and the keys.
package struct ServerDirectory: Sendable {
  package let path: String
  /// The code of the program, whose functions the files of apps may name; nil for commands, whose
  /// program is another one.
  private let code: ProgramCode?

  /// The folder, created if it is missing.
  package init(_ path: String) throws(ServerFailure) {
    try self.init(path, ProgramCode())
  }

  /// The folder for a program with code, created if it is missing.
  init(_ path: String, _ code: ProgramCode) throws(ServerFailure) {
    self.path = path
    self.code = code
    try RestoreStage.finish(in: path)
    try checkPlace()
    try Self.make(path)
    for folder in ["/apps", "/keys"] {
      try Self.make(path + folder)
      PrivatePlace.restrict(path + folder)
    }
  }

  /// The folder of a server that has run, for commands beside it: nothing is changed.
  package init(existing path: String) throws(ServerFailure) {
    self.path = path
    code = nil
    guard !RestoreStage(path).isComplete else {
      throw ServerFailure(
        "A restore into \(path) was interrupted before its last step. Start the server, or do it "
          + "again.")
    }
    guard FileManager.default.fileExists(atPath: path + "/apps") else {
      throw ServerFailure("\(path) is no folder of a server. Name the one of serve --dir.")
    }
  }

  private static func make(_ path: String) throws(ServerFailure) {
    do {
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw ServerFailure(
        "The folder \(path) cannot be made: \(ServerFailure.text(error.localizedDescription)). "
          + "Choose another with --dir, or change its permissions.")
    }
  }

  /// The file with what concerns the server, and no single app.
  var serverFilePath: String { path + "/server.json" }

  /// The settings of the server; those of a new one if the folder has no file of them.
  package func serverFile() throws(ServerFailure) -> ServerSettingsFile {
    guard exists(serverFilePath) else { return ServerSettingsFile() }
    guard let data = FileManager.default.contents(atPath: serverFilePath) else {
      throw ServerFailure("\(serverFilePath) cannot be read. Change its permissions.")
    }
    do throws(AppFileError) {
      return try ServerSettingsFile(Array(data))
    } catch {
      throw ServerFailure("\(serverFilePath) \(error). Correct the file.")
    }
  }

  /// The folder of an app.
  package func appPath(_ app: String) -> String { "\(path)/apps/\(app)" }

  /// The file of the users of an app.
  package func accountsPath(_ app: String) -> String { "\(path)/apps/\(app)/accounts.realm" }

  /// The file with the settings of an app.
  package func appFilePath(_ app: String) -> String { "\(path)/apps/\(app)/app.json" }

  /// The file with the classes of an app.
  package func schemaPath(_ app: String) -> String { "\(path)/apps/\(app)/schema.json" }

  /// The file with what is kept of an app's triggers.
  package func triggersPath(_ app: String) -> String { "\(path)/apps/\(app)/triggers.realm" }

  /// The folder for the mails of an app.
  package func outboxPath(_ app: String) -> String { "\(path)/apps/\(app)/outbox" }

  /// The file with the mark of an unfinished import of the app.
  package func importMarkPath(_ app: String) -> String {
    "\(path)/apps/\(app)/import.unfinished"
  }

  /// Whether an import of the app has not ended. At its very beginning the lock alone is there.
  package func isBeingImported(_ app: String) -> Bool {
    exists(importMarkPath(app))
      || (try? FileManager.default.contentsOfDirectory(atPath: appPath(app))) == ["lock"]
  }

  /// The file with the documents left out by an import.
  package func rejectedPath(_ app: String) -> String { "\(path)/apps/\(app)/rejected.jsonl" }

  // MARK: Apps

  /// The apps of the folder, or one of them; if there are none, a new one that names no mode.
  ///
  /// - Parameters:
  ///   - id: The only app to serve; nil for all.
  ///   - creates: Whether to make the app if others are there and it is not.
  package func apps(
    only id: String?, creates: Bool = false, random: RandomBytes
  ) throws(ServerFailure) -> [AppFile] {
    let apps = try allApps()
    if apps.isEmpty { return [try makeApp(id ?? "todos-\(random.digits(5))")] }
    guard let id else { return apps }
    if let app = apps.first(where: { $0.id == id }) { return [app] }
    guard creates else {
      let known = apps.map(\.id).joined(separator: ", ")
      throw ServerFailure(
        "The folder \(path) has no app \"\(id)\", but \(known). Name one of these, or add "
          + "--create to make another.")
    }
    return [try makeApp(id)]
  }

  /// The files of all apps, read strictly.
  package func allApps() throws(ServerFailure) -> [AppFile] {
    var apps: [AppFile] = []
    for folder in try appFolders() { apps.append(try app(folder)) }
    return apps
  }

  /// The names of the folders of apps.
  package func appFolders() throws(ServerFailure) -> [String] {
    do {
      return try FileManager.default.contentsOfDirectory(atPath: path + "/apps").sorted()
        .filter { !$0.hasPrefix(".") }
    } catch {
      throw ServerFailure(
        "The folder \(path)/apps cannot be read: "
          + "\(ServerFailure.text(error.localizedDescription)). Change its permissions.")
    }
  }

  /// The app of a name, or the only one.
  package func app(named id: String?) throws(ServerFailure) -> AppFile {
    let apps = try allApps()
    if let app = apps.first(where: { $0.id == id }) { return app }
    if id == nil, apps.count == 1 { return apps[0] }
    let known = apps.map(\.id).joined(separator: ", ")
    throw ServerFailure(
      id.map { "The folder \(path) has no app \"\($0)\", but \(known)." }
        ?? "The folder \(path) has the apps \(known). Name one with --app-id.")
  }

  /// The file of the app in a folder, read strictly.
  package func app(_ folder: String) throws(ServerFailure) -> AppFile {
    let file = appFilePath(folder)
    guard !exists(importMarkPath(folder)) else {
      throw ServerFailure(
        "The import of the app \(folder) has not ended. Give the same realm-server import command "
          + "again, which goes on with it, or remove the folder \(appPath(folder)).")
    }
    PrivatePlace.restrict("\(path)/apps/\(folder)")
    PrivatePlace.restrict(file)
    guard let data = FileManager.default.contents(atPath: file) else {
      throw ServerFailure(
        "\(file) cannot be read. Put it back, or move the folder \(folder) away.")
    }
    let app = try Self.read(
      Array(data), of: file, code?[folder].logins, code?[folder].functions)
    guard app.id == folder else {
      throw ServerFailure("\(file) has the id \"\(app.id)\". Give the app's folder that name.")
    }
    return app
  }

  /// Reads the file of an app. Files with secrets are named from its folder on.
  ///
  /// - Parameters:
  ///   - logins: The functions for logins that the file may name; nil for any.
  ///   - functions: Those for clients and triggers; nil for any.
  package static func read(
    _ bytes: [UInt8], of file: String, _ logins: LoginFunctions? = nil,
    _ functions: FunctionTable? = nil
  ) throws(ServerFailure) -> AppFile {
    let folder = URL(fileURLWithPath: file).deletingLastPathComponent()
    let support = AppFileSupport(
      contents: { name in
        let secret = URL(fileURLWithPath: name, relativeTo: folder).path
        if !name.hasPrefix("/") { PrivatePlace.restrict(secret) }
        return FileManager.default.contents(atPath: secret).map { Array($0) }
      }, isUsable: { ServerCryptography().isUsable($0, $1) },
      hasFunction: { logins == nil || logins?[$0] != nil },
      isFunction: { functions == nil || functions?[$0] != nil })
    do throws(AppFileError) {
      return try AppFile(bytes, support)
    } catch {
      throw ServerFailure("\(file) \(error). Correct the file.")
    }
  }

  /// The schema that the folder of an app has; nil if it has none.
  package func schema(of app: String) throws(ServerFailure) -> AppSchema? {
    let file = schemaPath(app)
    guard exists(file) else { return nil }
    guard let data = FileManager.default.contents(atPath: file) else {
      throw ServerFailure("\(file) cannot be read. Change its permissions.")
    }
    do throws(AppFileError) {
      return try AppSchema(Array(data))
    } catch {
      throw ServerFailure("\(file) \(error). Correct the file.")
    }
  }

  private func makeApp(_ id: String) throws(ServerFailure) -> AppFile {
    let app = AppFile(id: id, name: id)
    try makeApp(id, text: JSONWriter.text(app.json) + "\n")
    return app
  }

  /// Makes the folder of an app where it is missing, and writes its file where it has another text.
  func makeApp(_ id: String, text: String) throws(ServerFailure) {
    try Self.make(appPath(id))
    let (file, bytes) = (appFilePath(id), Array(text.utf8))
    if FileManager.default.contents(atPath: file).map({ Array($0) }) != bytes {
      try write(bytes, to: file)
    }
  }

  /// Writes a file for the server's user alone, whole or not at all.
  package func write(_ bytes: [UInt8], to file: String) throws(ServerFailure) {
    do throws(StorageError) {
      try DurableFile.write(bytes, to: file)
    } catch {
      throw ServerFailure(
        "\(file) cannot be written: \(ServerFailure.text(error)). "
          + "Change the folder's permissions, or make room.")
    }
  }
}
#endif
