// SPDX-License-Identifier: Apache-2.0

// The protocol of device sync, without input and output: what a client and a server say, store and
// merge is decided by values, which are handed what happens and give what is to be done. A whole
// synchronisation, of a file with a realm:
//
// ```swift
// let version = ProtocolVersion(mode: .partition)
// var client = ClientMachine(mode: .partition)
// var server = ServerConnectionMachine(version: version, served: .partition, now: 0)
// var (toClient, toServer) = ([ClientInput](), [ServerConnectionInput]())
// toClient = [.begin(session: 1, SessionSettings(partition: "\"home\""))]
// while !toClient.isEmpty || !toServer.isEmpty {
//   for effect in toClient.isEmpty ? [] : client.handle(toClient.removeFirst(), now: 0) {
//     if case .open(let socket) = effect {
//       toClient.append(.opened(socket: socket, protocolName: "\(version)", jitter: 0))
//     } else if case .send(let bytes, _) = effect {
//       toServer.append(.message(bytes))
//     } else if case .store(let name, let number, let request) = effect {
//       toClient.append(.stored(session: name, request: number, file.carryOut(request)))
//     }
//   }
//   for effect in toServer.isEmpty ? [] : server.handle(toServer.removeFirst(), now: 0) {
//     if case .send(let bytes, _) = effect {
//       toClient.append(.message(socket: 1, bytes, jitter: 0))
//     } else if case .store(let name, let number, let request) = effect {
//       let reply = realm.carryOut(request, &view, random: 0)
//       toServer.append(.session(name, .stored(request: number, reply)))
//     }
//   }
// }
// ```
//
// `ClientWords` and `ServerWords` have all inputs and effects; who drives a machine finds the rules
// at `ClientMachine`.
