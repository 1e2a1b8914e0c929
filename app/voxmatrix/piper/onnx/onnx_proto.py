"""The field numbers of onnx.proto that are used here. Protobuf never reuses the number of a field.

https://github.com/onnx/onnx/blob/main/onnx/onnx.proto
"""

#: ModelProto
MODEL_GRAPH = 7
#: GraphProto
GRAPH_NODE, GRAPH_NAME, GRAPH_INITIALIZER, GRAPH_INPUT, GRAPH_OUTPUT = 1, 2, 5, 11, 12
#: NodeProto
NODE_INPUT, NODE_OUTPUT, NODE_OP_TYPE, NODE_ATTRIBUTE = 1, 2, 4, 5
#: AttributeProto
ATTRIBUTE_NAME, ATTRIBUTE_T, ATTRIBUTE_G, ATTRIBUTE_INTS, ATTRIBUTE_GRAPHS = 1, 5, 6, 8, 11
#: TensorProto
TENSOR_DIMS, TENSOR_DATA_TYPE, TENSOR_NAME, TENSOR_RAW_DATA, TENSOR_EXTERNAL_DATA, TENSOR_DATA_LOCATION = (
    1,
    2,
    8,
    9,
    13,
    14,
)
#: TensorProto.DataType and TensorProto.DataLocation: values, not field numbers
FLOAT, INT64, EXTERNAL = 1, 7, 1
#: StringStringEntryProto
ENTRY_KEY, ENTRY_VALUE = 1, 2
#: ValueInfoProto: an input or output of a graph
VALUE_INFO_NAME, VALUE_INFO_TYPE = 1, 2
#: TypeProto and TypeProto.Tensor
TYPE_TENSOR_TYPE, TENSOR_TYPE_ELEM_TYPE = 1, 1
